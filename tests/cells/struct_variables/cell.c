struct p { int x; float y; };
//---
struct p last;
struct p *where = &last;
//---
last.x = 3;
printf("%d %d\n", where == &last, where->x);
