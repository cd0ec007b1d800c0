int a = 1, b = 2;
int &r = a;
r = 10;
a
//---
int &r = b;
r
//---
double d = 2.5;
double &r = d;
r *= 2;
d
//---
const int &low = a < b ? a : b;
low
