#include <memory>
#include <vector>
struct item { int n; int value() const { return n; } };
std::vector<item> items{ { 1 }, { 2 } };
auto owned = std::make_shared<item>(item{ 3 });
inline int sum(const std::vector<item> &v) { int s = 0; for (auto &i : v) s += i.value(); return s; }
sum(items) + owned->value()
//---
struct item { int n; int value() const { return 10 * n; } };
sum(items) + owned->value()
//---
items.push_back({ 4 });
sum(items)
