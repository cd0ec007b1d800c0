#define foreach(i, n) for (int i = 0; i < (n); i++)
foreach (k, 3) printf("%d", k);
foreach (k, 2) { printf("[%d]", k); }
puts("");
