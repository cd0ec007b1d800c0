int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int v[] = { 3, 1, 2 };
qsort(v, 3, sizeof *v, by_value);
v
