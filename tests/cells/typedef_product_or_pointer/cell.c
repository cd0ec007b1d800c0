typedef int T; int a = 6, b = 7;
T * p = &a;
a * b;
*p * b
