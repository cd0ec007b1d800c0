typedef void (*visit)(int, void *);
void each(int n, visit fn, void *data) { for (int i = 0; i < n; i++) fn(i, data); }
void add(int i, void *data) { *(int *)data += i; }
int sum = 0;
each(5, add, &sum);
sum
