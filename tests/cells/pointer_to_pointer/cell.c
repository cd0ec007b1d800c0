int v = 3, *p = &v, **pp = &p;
**pp = 8;
v
