typedef struct { double x, y; } vec;
//---
vec add(vec a, vec b) { return (vec){ a.x + b.x, a.y + b.y }; }
//---
vec v = add((vec){ 1, 2 }, (vec){ 3, 4 });
v
