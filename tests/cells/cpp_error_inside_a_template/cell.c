template <class T> auto twice(T x) { return x.value() * 2; }
twice(3)
//---
template <class T> struct wrap { T held; int size() const { return held.size(); } };
wrap<int> w{ 1 };
w.size()
