%%cpp
[](int x) { return x; }
//---
%%cpp
int a = 4;
auto f = [a](int x) { return a + x; };
f
//---
%%cpp
auto plain = [] { return 3; };
plain()
//---
%%cpp
#include <functional>
std::function<int(int)> g = f;
g
