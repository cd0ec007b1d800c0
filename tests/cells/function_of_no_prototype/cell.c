int f();
int f(int a, int b) { return a * b; }
f(6, 7)
