struct p { int x, y; } a = { 1, 2 }, b = a;
b.y
