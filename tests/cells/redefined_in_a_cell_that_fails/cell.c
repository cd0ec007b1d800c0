int v = 1;
int a[2] = { 1, 2 };
//---
v = 5;
int v = 6;
int a[2] = { 3, 4 };
*(volatile int *)0 = v;
//---
int *p = 0;
*p = 1;
int v = 9;
//---
printf("%d %d %d\n", v, a[0], a[1]);
