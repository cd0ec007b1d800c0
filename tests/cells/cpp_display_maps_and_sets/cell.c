#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>
std::map<std::string, int>{ { "b", 2 }, { "a", 1 } }
//---
std::map<int, std::map<char, bool>>{ { 1, { { 'x', true } } } }
//---
std::set<std::string>{ "z", "y" }
//---
std::unordered_map<int, std::string>{ { 5, "five" } }
//---
std::unordered_set<double>{ 1.5 }
//---
std::multimap<int, int>{ { 1, 2 }, { 1, 3 } }
//---
*std::map<std::string, int>{ { "k", 9 } }.begin()
