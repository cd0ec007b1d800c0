#define DEF(T, n) T n
DEF(struct { int a; }, q);
DEF(struct named { int b; }, r) = { 2 };
#define N 2
struct sized { int v[N]; };
enum { LAST = N + 1 };
typedef struct { int k[N]; } first, *second;
second p = &(first){ { 4, 5 } };
#undef N
#define N 30
q.a = 1;
//---
struct sized s = { { 1, 2 } };
struct named t = { 7 };
second same = p;
sizeof s.v / sizeof *s.v + q.a + r.b + LAST + t.b + same->k[1]
//---
struct { int a; } give(void) { return (typeof(give())){ 5 }; }
//---
give().a + N
