#include <string>
#include <tuple>
auto [number, half] = std::pair(1, 2.5);
static auto [word, three] = std::tuple(std::string("three"), 3);
struct pixel { unsigned char r, g : 4, b : 4; short at[2]; } p = { 1, 2, 3, { 4, 5 } };
const auto [r, g, b, at] = p;
namespace named { auto [one, two] = std::pair(1, '2'); }
number + half + three + r
//---
%who
//---
number = 4;
int more() { return number + three; }
more() * half
//---
word + std::to_string(number)
//---
%%cpp
named::one + named::two + r + g + b + at[1]
//---
g = 5;
//---
int values[2] = { 1, 2 };
//---
%%cpp
auto &[first, second] = values;
first = 40;
first + values[1]
//---
%%cpp
second = first + values[0];
values
//---
auto [number, three] = std::pair(10, 20);
//---
more()
//---
double number = 0.5;
number + three
//---
more()
//---
%%cpp
#include <memory>
auto [owner, count] = std::pair(std::make_unique<int>(7), 1L);
auto twice = [=] { return 2 * count; };
auto once = [count] { return count; };
count = 100;
struct fixed { int n; fixed(int n) : n(n) {} fixed(const fixed &) = delete; };
struct of_fixed { fixed one{ 3 }, two{ 4 }; };
auto [one, two] = of_fixed();
//---
%%cpp
auto [index, time] = std::pair(*owner, twice() + once());
index + time + one.n + two.n
