#include <tuple>
#include <string>
auto [number, word] = std::tuple(3, std::string("three"));
word + std::to_string(number)
//---
auto [word, number] = std::pair(2.5, 4);
word * number
//---
auto &[head, tail] = *new std::pair<int, int>(1, 2);
head = 40;
head + tail
