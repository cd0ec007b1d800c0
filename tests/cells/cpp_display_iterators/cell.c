#include <map>
#include <vector>
std::vector<int> v{ 3, 1, 2 };
*v.begin()
//---
v.end() - v.begin()
//---
auto it = std::find(v.begin(), v.end(), 2);
*it * 10 + (it - v.begin())
//---
std::map<int, char> m{ { 1, 'a' } };
*m.find(1)
//---
m.find(1)->second
//---
m.find(2) == m.end()
