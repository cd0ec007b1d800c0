auto big = 18446744073709551615ull;
big
//---
long(5) - 9ll
//---
using small = short;
small(-32768)
//---
int(2.9) + (unsigned char)(200)
//---
float(1) / 3
//---
double(1e300) * 1e10
//---
double(0.1) + 0.2
//---
1.25L * double(2)
//---
bool(3) && true
//---
-double(0)
