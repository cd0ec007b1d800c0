int f(void) { return 6; }
//---
const int six = f();
six = 7;
//---
const int seven = f() + 1;
seven
//---
const double v[2] = { f(), seven };
int first(void) { return v[0]; }
first() + v[1]
//---
v[0] = 1;
