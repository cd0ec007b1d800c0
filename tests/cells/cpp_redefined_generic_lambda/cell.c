auto apply = [](auto f, auto x) { return f(x); };
auto half = [](auto x) { return x / 2; };
apply(half, 5) + apply(half, 5.0)
//---
auto half = [](auto x) { return x / 4; };
apply(half, 9.0)
//---
auto apply = [](auto f, auto... x) { return (f(x) + ...); };
apply(half, 4, 8.0)
