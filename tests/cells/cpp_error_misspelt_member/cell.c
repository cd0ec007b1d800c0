#include <string>
#include <vector>
std::vector<int> numbers{ 1, 2 };
class point { public: int x = 0; };
point p;
//---
numbers.push_bak(3);
//---
p.y = 3;
//---
std::vector<int>::size_typ n = numbers.size();
