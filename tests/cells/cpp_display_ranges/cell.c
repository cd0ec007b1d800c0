#include <ranges>
#include <vector>
std::vector<int> v{ 1, 2, 3, 4, 5, 6 };
v | std::views::filter([](int x) { return x % 2 == 0; }) | std::views::transform([](int x) { return x * x; })
//---
std::views::iota(1, 5)
//---
v | std::views::take(2)
//---
v | std::views::reverse
