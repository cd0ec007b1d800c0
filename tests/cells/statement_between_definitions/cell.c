int f(int x) { return x + 1; }
int a = f(1);
printf("%d\n", a);
int g(int x) { return f(x) * 2; }
printf("%d\n", g(a));
