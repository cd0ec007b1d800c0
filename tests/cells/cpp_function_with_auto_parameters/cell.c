template <class T> concept drawable = requires(T t) { t.draw(); };
auto add(auto a, auto b) { return a + b; }
void show(drawable auto d) { printf("%d\n", d.draw()); }
struct line { int draw() { return 3; } };
//---
show(line());
add(1, 2.5)
//---
auto add(auto a, auto b) { return a * b; }
add(3, 4)
