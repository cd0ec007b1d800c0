int v = 1;
int a[2] = { 1, 2 };
printf("%d %d\n", v, a[1]);
int v = 2;
int a[2] = { 3, 4 };
printf("%d %d\n", v, a[1]);
v++;
int v;
v
//---
int n;
n = 3;
int n = 4;
n
//---
extern int late;
int get(void) { return late; }
printf("%d\n", get());
int late = 5;
//---
puts("no code between");
int v = 1;
int v = 2;
