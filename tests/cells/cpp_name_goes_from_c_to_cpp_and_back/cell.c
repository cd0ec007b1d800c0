int scale(int x) { return 2 * x; }
int user(void) { return scale(10); }
user()
//---
auto scale(auto x) { return x * 1.5; }
scale(3)
//---
user()
//---
int scale(int x) { return 3 * x; }
user() + scale(1)
//---
struct scale { int n; int twice() { return 2 * n; } } s{ 4 };
s.twice()
//---
user()
