int *end(int a[10]) { return &a[10]; }
int v[10];
end(v) - v
