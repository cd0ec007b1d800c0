#include <complex.h>
double complex z = 3 + 4 * I;
cabs(z)
//---
z * conj(z)
