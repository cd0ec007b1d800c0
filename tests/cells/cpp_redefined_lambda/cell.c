auto f = [](int x) { return x + 1; };
f(1)
//---
auto f = [](int x) { return x + 100; };
f(1)
//---
int (*plain)(int) = f;
plain(5)
//---
auto f = [](int x, int y) { return x * y; };
plain(1) + f(3, 4)
