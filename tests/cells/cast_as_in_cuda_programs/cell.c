int n = 7;
float half = float(n) / 2;
half
//---
printf("%d %d %.1f\n", int(2.9), (int(half) + 1) * int(sizeof(int)), double(n < 8 ? int(half) : n));
//---
int apply(int (*f)(int), int x) { return f(int(x + 0.5)); }
int twice(int x) { return 2 * x; }
int (*g)(int) = twice;
apply(g, n)
