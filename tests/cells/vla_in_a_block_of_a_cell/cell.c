int n = 4, sum = 0;
{ int a[n]; for (int i = 0; i < n; i++) a[i] = i; for (int i = 0; i < n; i++) sum += a[i]; }
sum
