#pragma GCC poison strtok
//---
char *p = strtok(0, " ");
//---
#pragma STDC FP_CONTRACT OFF
#pragma STDC FENV_ACCESS ON
//---
#include <fenv.h>
fesetround(FE_UPWARD);
volatile double three = 3; double up = 1 / three;
fesetround(FE_TONEAREST);
up > 1.0 / 3
//---
#pragma clang optimize off
int f(int x) { return x * 2; }
//---
int g(int x) { return f(x) + 1; }
#pragma clang optimize on
g(3)
