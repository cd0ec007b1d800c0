struct p { int x, y, z; } p = { .z = 3, .x = 1 };
p
