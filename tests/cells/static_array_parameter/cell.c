int sum(int n, const int a[static n]) { int s = 0; while (n--) s += a[n]; return s; }
sum(3, (int[]){ 1, 2, 3 })
