int x = 5;
int f(int a) { return 10 * a; }
//---
#define x(y) ((y) + 1)
//---
x(x)
//---
#define f(a) (f)((a) + 1)
//---
f(1)
//---
int g(void) { return x + f(2); }
//---
g()
//---
#define x (x + 2)
//---
x
//---
#undef x
//---
x
