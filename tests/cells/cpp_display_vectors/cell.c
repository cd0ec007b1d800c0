#include <vector>
#include <string>
std::vector<double> v{ 1, 2.5 };
v
//---
std::vector<std::vector<int>>{ { 1, 2 }, {}, { 3 } }
//---
std::vector<bool>{ true, false }
//---
std::vector<char>{ 'a', 'b' }
//---
std::vector<std::string>()
//---
v[1]
//---
std::vector<const char *>{ "x", nullptr }
//---
std::vector<bool>{ true, false }[0]
