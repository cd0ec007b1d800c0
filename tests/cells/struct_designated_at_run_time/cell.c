int n = 4;
struct p { int x, y; } p = { .y = n * 2, .x = n };
p
