enum class color { red, green };
enum small : unsigned char { few = 3, many = 200 };
color c = color::green, all[2] = { color::red, color::green }, *p = &all[1];
struct car { color of; small doors; } mine = { color::red, few };
small doors = many;
int number(color x) { return (int)x; }
color next(color x) { return x == color::red ? color::green : color::red; }
//---
c
//---
all
//---
*p
//---
mine
//---
next(c)
//---
doors + sizeof doors + number(c)
//---
c = next(c); c
//---
%who
//---
enum class color { blue, yellow };
//---
c
