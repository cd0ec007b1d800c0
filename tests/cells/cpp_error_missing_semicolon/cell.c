class point { public: int x, y; }
point p;
//---
auto f = [](int y) { return y; }
f(3)
//---
int g() { auto x = [](int y) { return y; } return x(1); }
//---
struct s { int a int b; bool c() { return true } };
//---
%%cpp
int n = 3
n = 4;
