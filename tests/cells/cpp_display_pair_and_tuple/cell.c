#include <string>
#include <tuple>
#include <vector>
std::pair(1, std::string("x"))
//---
std::tuple(1, 2.5, 'c', std::vector{ 1, 2 })
//---
std::tuple<>()
//---
std::get<1>(std::tuple(1, true))
//---
std::pair<std::pair<int, int>, bool>{ { 1, 2 }, false }
