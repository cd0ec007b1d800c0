int last(int n) { int a[n]; for (int i = 0; i < n; i++) a[i] = i * i; return a[n - 1] + sizeof a / sizeof *a; }
last(5)
