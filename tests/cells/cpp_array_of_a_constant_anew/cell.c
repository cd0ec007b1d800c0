%%cpp
namespace n {
constexpr int size = 3;
struct row { int v[size]; };
row r{ { 1, 2, 3 } };
inline int sum() { int s = 0; for (int x : r.v) s += x; return s; }
}
n::sum()
//---
%%cpp
namespace n { constexpr int size = 3; }
n::sum()
//---
%%cpp
namespace n { constexpr int size = 4; }
n::sum()
//---
%%cpp
namespace n { constexpr int size = 4; }
//---
%%cpp
sizeof(n::r)
