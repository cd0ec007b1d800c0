#include <vector>
#include <stdexcept>
std::vector<int> v{ 1 };
int n = 2;
//---
n = 3, v.at(7)
//---
n
//---
struct bad { int a = 1; };
std::ostream &operator<<(std::ostream &o, const bad &) { throw std::runtime_error("while shown"); }
bad()
//---
v.at(0)
