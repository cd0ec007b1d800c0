int f(int x) { return x + 1; }
const int n = f(2);
const double table[3] = { f(0), [2] = 0.5 };
const char *const name = f(0) ? "yes" : "no";
static const struct { int a; const float b; } both = { f(4), 2 };
printf("%d %g %s %d\n", n, table[2], name, both.a);
table
//---
n = 5;
//---
table[0] = 1;
//---
const int n = f(n);
//---
n + both.a
//---
name
