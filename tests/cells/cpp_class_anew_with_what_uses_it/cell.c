%%cpp
struct particle { float x; float twice() const { return 2 * x; } };
particle p{ 3 };
float f(const particle &q) { return q.twice(); }
inline float g(const particle &q) { return q.twice() + 1; }
template <class T> float h(T q) { return q.twice() + 2; }
f(p) + 100 * g(p) + 10000 * h(p)
//---
%%cpp
struct particle { float x; float twice() const { return 3 * x; } };
f(p) + 100 * g(p) + 10000 * h(p)
//---
%%cpp
f(p) + 100 * g(p) + 10000 * h(p)
//---
%%cpp
struct particle { float x, y; float twice() const { return 3 * x; } };
f(p)
//---
%%cpp
struct particle { float x, y; float twice() const { return 3 * x; } };
particle{ 1, 2 }.twice()
//---
f(p)
