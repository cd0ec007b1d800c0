#define N 1
int a = N;
printf("%d\n", N + a);
#undef N
#define N 10
printf("%d\n", N);
#if N > 5
int big = N;
big++;
#else
this is no C at all;
int small = N;
#endif
a + big
//---
N
//---
small
