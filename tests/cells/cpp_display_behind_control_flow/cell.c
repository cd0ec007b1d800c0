#include <vector>
std::vector<int> v;
for (int i = 0; i < 3; i++) v.push_back(i * i);
if (v.size() == 3) v.push_back(100);
v
//---
if (v.empty()) { 1; } else { 2; }
//---
{ std::vector<int> inner{ 1 }; inner.size(); }
v.size()
