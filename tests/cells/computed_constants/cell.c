constexpr int threads = 32;
const int n = 4;
//---
constexpr int size = threads * threads;
const int m = n * 2, unknown = getpid() * 0 + m;
const double half = m / 16.0;
//---
class cells { public: char a[size], b[m]; };
template <int N> int twice() { return 2 * N; }
//---
printf("%zu %d %g\n", sizeof(cells), twice<size + m>(), half);
//---
const int deeper = size - m; const int deepest = deeper + 1;
//---
int of_cpp[deepest]; twice<deepest>() + unknown
//---
int in_c(void) { return m; }
//---
const int m = n * 3;
//---
in_c()
//---
twice<unknown>()
