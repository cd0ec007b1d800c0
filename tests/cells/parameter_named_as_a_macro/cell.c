#define N 100
//---
int first(int *a, int N) { return a[0] = N; }
//---
int a[N];
first(a, 3) + N
//---
enum { N = 7, M };
//---
N + M
