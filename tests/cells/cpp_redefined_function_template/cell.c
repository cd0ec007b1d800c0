template <class T> T grow(T x) { return x + 1; }
int by_two(int x) { return grow(grow(x)); }
by_two(1)
//---
template <class T> T grow(T x) { return x * 10; }
grow(2.5)
//---
by_two(1)
//---
int by_two(int x) { return grow(grow(x)); }
by_two(1)
