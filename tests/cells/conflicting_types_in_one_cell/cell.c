int f(int);
double f(int x) { return x; }
