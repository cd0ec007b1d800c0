int inc(int x) { return x + 1; } int dbl(int x) { return 2 * x; }
int (*const steps[])(int) = { inc, dbl, inc };
int v = 5;
for (int i = 0; i < 3; i++) v = steps[i](v);
v
