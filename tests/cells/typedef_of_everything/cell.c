typedef int number, *pointer, vector[3], (*unary)(int);
int inc(int x) { return x + 1; }
number n = 4; pointer p = &n; vector v = { 1, 2, 3 }; unary f = inc;
//---
f(*p) + v[2]
