template <class T> T larger(T a, T b) { return a > b ? a : b; }
larger(1, 2.5)
//---
template <class T> T make() { return T(); }
make()
