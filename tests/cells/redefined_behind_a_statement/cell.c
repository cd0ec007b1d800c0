int v = 1;
double m[3] = { 1, 2, 3 };
struct pair { int a, b; } pair = { 1, 2 };
const char *name = "one";
int zero = 9;
int read_v(void) { return v; }
//---
v = 5; int v = 6; v
//---
printf("%d\n", v); int v = 7;
//---
v
//---
printf("%d %g %d %s %d\n", read_v(), m[2], pair.b, name, zero);
int v = 8, other = 80; double m[3] = { [2] = 5 }; static struct pair pair = { .b = 7 }; const char *name = "two"; int zero;
printf("%d %g %g %d %d %s %d %d\n", read_v(), m[0], m[2], pair.a, pair.b, name, zero, other);
//---
m[0] = 4; double m[] = { 1, 2, 9 };
m
