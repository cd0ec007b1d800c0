#pragma STDC FP_CONTRACT OFF
double a = 0.1;
a * 10
