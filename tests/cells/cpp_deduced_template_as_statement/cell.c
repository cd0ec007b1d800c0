#include <utility>
template <class T> struct box { T v; };
template <class T> struct pot { T v; pot(T v) : v(v) {} T *operator->() { return &v; } };
pot(const char *) -> pot<int>;
struct whole { int n; whole(int n); };
whole::whole(int n) : n(n) {}
std::pair(box<int>{ 1 }, 2.5)
//---
box<int> one{ 3 };
std::pair(one, 2.5).second
//---
pot(one.v).v + pot(box<int>{ 4 }).v.v
//---
::std::pair(one, 2.5).second;
pot(box<int>{ 5 })->v
//---
pot full(one);
pot other{ one.v }, third = 6;
full.v.v + other.v + third.v + whole(2).n
