union u { int i; double d; };
union u u = (union u)2.5;
u.d
