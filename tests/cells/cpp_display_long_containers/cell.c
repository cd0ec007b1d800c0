#include <vector>
#include <map>
std::vector<int> v(1000, 1);
v
//---
std::string(5000, 'x').size()
//---
std::map<int, int> m; for (int i = 0; i < 200; i++) m[i] = i;
m.size()
