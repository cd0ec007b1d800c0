template <class T> concept drawable = requires(T t) { t.draw(); };
template <class T> concept number = sizeof(T) <= 8 && requires(T t) { t * t; };
void show(drawable auto d) { d.draw(); }
template <number T> T square(T x) { return x * x; }
struct line {};
//---
show(line());
//---
square(line())
