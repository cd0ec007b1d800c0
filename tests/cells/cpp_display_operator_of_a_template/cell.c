#include <iostream>
template <class T> struct box { T v; };
template <class T> std::ostream &operator<<(std::ostream &o, const box<T> &b) { return o << '[' << b.v << ']'; }
box<int>{ 3 }
//---
box{ std::string("s") }
//---
std::vector{ box<int>{ 1 }, box<int>{ 2 } }
