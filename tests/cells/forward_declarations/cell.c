int twice(int n);
extern int base;
int quad(int n) { return twice(twice(n)) + base; }
//---
quad(3)
//---
int twice(int n) { return 2 * n; }
//---
quad(3)
//---
int base = 100;
//---
quad(3)
//---
int twice(int n) { return 3 * n; }
int base = 200;
quad(3)
//---
int later(void); later()
//---
int later(void); int (*fp)(void) = later;
//---
void g(void); void h(void) { g(); } h();
