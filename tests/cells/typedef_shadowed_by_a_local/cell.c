typedef int T;
int f(void) { T T = 3; return T + 1; }
T x = f();
x
