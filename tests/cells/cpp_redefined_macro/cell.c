#define SQUARE(x) ((x) * (x))
#define LIMIT 10
template <class T> T capped(T x) { return x > LIMIT ? LIMIT : x; }
capped(SQUARE(5)) + capped(2)
//---
#undef LIMIT
#define LIMIT 3
auto twice = [](auto x) { return 2 * (x > LIMIT ? LIMIT : x); };
capped(25) * 10 + twice(25)
//---
#undef SQUARE
#define SQUARE(x) std::vector<int>(x, x)
#include <vector>
SQUARE(2)
