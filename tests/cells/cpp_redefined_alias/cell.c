#include <map>
#include <string>
#include <vector>
using list = std::vector<int>;
list l{ 1, 2 };
l
//---
using list = std::map<std::string, int>;
list m{ { "a", 1 } };
m
//---
l
