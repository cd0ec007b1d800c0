extern "C" int area(int a, int b) { return a * b; }
extern "C" { int calls = 0; void called(void) { calls++; } }
area(2, 3)
//---
int use(void) { called(); return area(4, 5); }
use()
//---
extern "C" int area(int a, int b) { calls += 100; return a + b; }
use()
//---
calls
