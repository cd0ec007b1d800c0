#include <array>
constexpr auto table = [] { std::array<int, 4> t{}; for (int i = 0; i < 4; i++) t[i] = i * i; return t; }();
table
//---
template <class T> constexpr T zero{};
zero<double>
//---
consteval int cube(int x) { return x * x * x; }
cube(3)
//---
static_cast<float>(cube(2)) / 3
