#define GETTER(type, name) type get_##name(void) { return name; }
int width = 3; double ratio = 1.5;
GETTER(int, width)
GETTER(double, ratio)
get_width() * get_ratio()
//---
#define DEF(n) int f##n(void) { return n; }
DEF(1) DEF(2)
f1() + f2()
