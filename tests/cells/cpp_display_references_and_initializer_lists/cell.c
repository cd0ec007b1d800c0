auto list = { 1, 2, 3 };
list
//---
#include <vector>
std::vector<int> v{ 5, 6 };
int &back = v.back();
back
//---
std::ref(v)
//---
auto &&r = std::vector<int>{ 9 };
r
//---
const std::string &name = std::string("held by a reference");
name
