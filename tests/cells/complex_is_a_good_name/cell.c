struct complex { double re, im; } complex = { 1, 2 };
double I = 4;
complex.im + I
