#include <string>
#include <vector>
std::vector<int> v{ 1, 2, 3 };
int kept = 1;
//---
kept = 2; v.at(10)
//---
std::stoi("abc")
//---
std::string("short").substr(10)
//---
v.resize(-1);
//---
v.size() * 10 + kept
