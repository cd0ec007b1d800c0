#define N 100
//---
void f(int *a, int N) { a[0] = N; }
