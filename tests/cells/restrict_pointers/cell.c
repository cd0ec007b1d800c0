void add(int n, int *restrict a, const int *restrict b) { while (n--) a[n] += b[n]; }
int a[3] = { 1, 2, 3 };
add(3, a, (int[]){ 10, 20, 30 });
a
