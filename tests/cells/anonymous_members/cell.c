struct s { int a; union { int b; char c[4]; }; struct { int d; }; } s = { .a = 1, .b = 2, .d = 3 };
s.a + s.c[0] + s.d
