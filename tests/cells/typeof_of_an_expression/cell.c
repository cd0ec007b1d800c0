int a[3] = { 1, 2, 3 };
typeof(a) b = { 4, 5, 6 };
__typeof__(b[0]) *p = b;
p[2]
