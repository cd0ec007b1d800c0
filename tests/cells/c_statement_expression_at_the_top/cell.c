int s = ({ int k = 0; for (int i = 0; i < 4; i++) k += i; k; }), t = 5, u = ({ s + t; });
printf("%d %d %d\n", s, t, u);
//---
k
//---
__auto_type p = &s;
struct { int a; double b[2]; } w = { ({ t; }), { s, u } };
w
//---
w.b[1] + *p
