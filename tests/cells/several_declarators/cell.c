int a = 1, *p = &a, b[2] = { 2, 3 }, f(int), (*g)(int);
int f(int x) { return x + *p; }
g = f;
g(b[1])
