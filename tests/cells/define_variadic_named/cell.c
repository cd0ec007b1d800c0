#define SUM(args...) sum_of(sizeof((int[]){ args }) / sizeof(int), (int[]){ args })
int sum_of(int n, int *v) { int s = 0; while (n--) s += v[n]; return s; }
SUM(1, 2, 3)
