int n = 4;
int a[n];
