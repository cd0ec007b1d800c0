const int size = 3;
constexpr double factor = 0.5;
int room[size] = { 1, 2, 3 };
sizeof room / sizeof room[0] * factor
//---
const int size = 5;
constexpr double factor = 2;
int more[size];
sizeof more / sizeof more[0] * factor
//---
template <int N> constexpr int twice = 2 * N;
constexpr int size = 8;
twice<size> + factor
