double half_d(double x) { return x / 2; } int half_i(int x) { return x / 2; }
#define half(x) _Generic((x), double: half_d, int: half_i)(x)
half(5) + half(5.0)
