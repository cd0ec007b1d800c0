typedef struct A {
  int a, b;
} A;
//---
typedef struct B {
  struct A **a;
  int b;
} B;
//---
A *a;
//---
B d[1];
//---
void foo (A *x, const char *y, int z)
{
}
//---
void bar (A *x, const char *y, int z)
{
  foo(x, y, z + d->b);
}
//---
typedef struct x { int a; int b; } __attribute__((aligned(32))) X;
//---
typedef struct y { X x[32]; int c; } Y;
//---
Y y[2];
//---
sizeof y
