struct p { int x, y; } p = { y: 5, x: 4 };
p.x * 10 + p.y
