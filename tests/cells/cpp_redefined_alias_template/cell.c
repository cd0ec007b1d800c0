#include <array>
#include <vector>
template <class T> using row = std::vector<T>;
row<int> r{ 1, 2, 3 };
r.size()
//---
template <class T> using row = std::array<T, 2>;
row<double> two{ 0.5 };
two
//---
r
