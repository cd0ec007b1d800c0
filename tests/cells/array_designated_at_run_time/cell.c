int f(int x) { return x * x; }
int a[] = { f(1), [4] = f(2), f(3) };
a
