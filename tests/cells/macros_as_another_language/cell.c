#define forever for (;;)
#define unless(c) if (!(c))
#define repeat(n) for (int i_ = 0; i_ < (n); i_++)
#define FUNC(ret, name) ret name
#define PROC void
#define THEN {
#define ELSE } else {
#define FI }
FUNC(int, add)(int a, int b) { return a + b; }
PROC hello(void) { puts("hello"); }
int n = 0;
forever { if (++n > 3) break; }
unless (n == 4) puts("wrong");
repeat(2) hello();
if (n > 3) THEN puts("big"); ELSE puts("small"); FI
int IF = 3;
add(n, IF)
//---
#define program main
#define INT int
#define declare(v) int v = 0
declare(counter);
INT twice(INT x) { return 2 * x; }
counter += twice(4);
counter
//---
#define WITH_FILE(f, name) for (FILE *f = fopen(name, "r"); f; fclose(f), f = 0)
#define SWAP(a, b) do { __typeof__(a) t_ = a; a = b; b = t_; } while (0)
#define STRUCT(n) struct n
#define END_STRUCT ;
STRUCT(pt) { int x, y; } END_STRUCT
int a = 1, b = 2; SWAP(a, b); printf("%d %d\n", a, b);
STRUCT(pt) p = { 1, 2 };
p
//---
#define EMPTY
#define API EMPTY
API int exported(void) { return 5; }
EMPTY int other = 6; EMPTY
exported() + other EMPTY
