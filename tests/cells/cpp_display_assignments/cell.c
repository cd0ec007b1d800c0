#include <string>
std::string s;
s = "set"
//---
s += " more"
//---
std::vector<int> v; v = { 1, 2 }
//---
struct own { int n = 0; own &operator=(int x) { n = x; return *this; } } o;
o = 5
