volatile int v = 3;
v = v + v;
v
