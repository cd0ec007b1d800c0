#include <vector>
auto x = 3;
auto get = [] { return x; };
get()
//---
auto x = 4;
get()
//---
auto x = std::vector{ 1.5, 2.5 };
x
//---
auto &last = x.back();
last = 9;
x
