struct shape { double side; double (*area)(const struct shape *); };
static double square(const struct shape *s) { return s->side * s->side; }
struct shape s = { 3, square };
s.area(&s)
