int step = 1;
int next(void) { return step++; }
int a = next(), b = next();
step = 10;
int c = next();
a * 1000 + b * 100 + c
