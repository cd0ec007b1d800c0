#include <string>
#include <vector>
std::vector<int> v{ 1, 2 };
int *first = &v[0];
size_t count() { return v.size(); }
count()
//---
std::vector<int> v{ 4, 5, 6 };
count()
//---
std::string v = "text";
v + "s"
//---
count()
//---
std::vector<int> v(10);
count()
