struct { int a, b; } anon = { 1, 2 }, anon2;
struct bits { unsigned lo : 3, hi : 5; struct { int in; }; union { int i; float f; } u; struct bits *next; } bits;
enum color { RED, GREEN = 5 } color = GREEN;
typedef struct { double re, im; } cpx, *cpxp;
typedef unsigned char byte;
typedef int (*op)(int, int);
cpx z = { 1, 2 };
cpxp zp = &z;
byte raw[4];
_Bool flag = 1;
long double ld;
float vec __attribute__((vector_size(16)));
FILE *file;
_Thread_local int tls = 4;
_Atomic int at;
struct flex { int n; int data[]; } *flex;
//---
anon2 = anon; z.re = anon2.b; *zp
//---
raw
//---
puts
//---
color
