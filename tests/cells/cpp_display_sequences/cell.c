#include <array>
#include <deque>
#include <forward_list>
#include <list>
#include <span>
#include <valarray>
#include <vector>
std::array<int, 3>{ 1, 2, 3 }
//---
std::deque<int>{ 4, 5 }
//---
std::list<char>{ 'x' }
//---
std::forward_list<int>{ 7, 8 }
//---
std::valarray<double>{ 0.5, 1 }
//---
std::vector<int> v{ 1, 2, 3, 4 };
std::span(v).subspan(1, 2)
//---
std::array<int, 0>()
