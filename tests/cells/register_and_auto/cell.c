register int r = 3;
auto int a = 4;
r + a
