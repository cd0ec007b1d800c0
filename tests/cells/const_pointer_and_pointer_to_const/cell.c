int a = 1, b = 2;
const int *p = &a; int *const q = &b;
p = &b; *q = 9;
*p
