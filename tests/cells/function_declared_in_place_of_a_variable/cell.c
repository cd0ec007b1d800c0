int g = 5;
int use(void) { return g; }
//---
int f(int a), g(int a), a;
//---
int sum(void) { return f(1) + g(1); }
int f(int a) { return a; }
//---
use()
//---
sum()
//---
int g(int a) { return a + 7; }
//---
sum()
