%%cpp
#include <string>
int a = 1, b = 20;
std::string one = "one", two = "two";
int &r = a;
const std::string &text = one;
namespace n { int &m = a; }
struct user { int get() { return r; } };
template <class T> T plus(T x) { return x + r; }
auto both = [] { return r + n::m; };
int get() { return r; }
std::string say() { return text; }
int values[2] = { 3, 4 }, others[2] = { 300, 400 };
auto &[first, second] = values;
int sum() { return first + second; }
//---
%%cpp
int &r = b;
const std::string &text = two;
namespace n { int &m = b; }
auto &[first, second] = others;
//---
%%cpp
printf("%d %d %d %d %s %d\n", get(), user().get(), plus(1), both(), say().c_str(), sum());
//---
%%cpp
int &r = a;
get()
