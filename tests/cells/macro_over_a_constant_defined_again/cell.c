enum E { x, y = 2, z, };
//---
int foo(void) { enum E e; if (x != 0) return 1; e = x; return e; }
//---
#define x(y) ((y) + 1)
//---
int foo2(void) { int x, y = 0; x = x(y); return x; }
//---
struct { enum { X } x; } s;
//---
#define x(y) #y
//---
x(hello)
//---
x(hello) " again"
