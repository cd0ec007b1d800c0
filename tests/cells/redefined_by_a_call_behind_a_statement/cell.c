#include <stdlib.h>
int v = 1, w = 2;
int next(void) { return ++v; }
//---
int w = next(), v = w * 10;
printf("%d %d\n", v, w);
//---
printf("%d\n", v); int v = abs(-4);
v
//---
int v = v + 1;
v
