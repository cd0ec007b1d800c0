struct s { int a; };
enum e { RED, GREEN };
typedef int number;
#define N 3
static int f(int a) { return a + N; }
struct s one = { 1 };
//---
struct s { double a, b; };
enum other { GREEN = 7 };
typedef double number;
#define N 4
double f(double a) { return a * N; }
struct s one = { 1, 2 };
//---
number v = one.b + GREEN + f(1);
v
//---
int v = 3;
//---
v
//---
struct list { struct item *first; };
struct item { struct list *owner; int n; };
//---
struct list { struct item *first, *last; int count; };
struct list l;
struct item i = { &l, 3 };
i.owner->count + i.n
