#define POINT struct point
POINT { int x, y; };
POINT p = { 1, 2 };
p.y
