#include <vector>
std::vector<int> numbers{ 1, 2 };
class account { public: int held = 0; };
template <class T> T larger(T a, T b) { return a > b ? a : b; }
//---
nubmers.size()
//---
acount mine;
//---
std::vector<int> v{ 1 }; lager(v[0], 2)
