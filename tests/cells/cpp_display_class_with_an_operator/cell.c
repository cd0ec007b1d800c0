#include <iostream>
struct point { double x, y; };
std::ostream &operator<<(std::ostream &o, const point &p) { return o << "(" << p.x << "; " << p.y << ")"; }
point{ 1, 2 }
//---
namespace geo { struct line { point a, b; }; std::ostream &operator<<(std::ostream &o, const line &l) { return o << l.a << "--" << l.b; } }
geo::line{ { 0, 0 }, { 1, 1 } }
//---
std::vector<point>{ { 1, 2 }, { 3, 4 } }
//---
struct hidden { int n; friend std::ostream &operator<<(std::ostream &o, hidden h) { return o << "hidden " << h.n; } };
hidden{ 3 }
//---
struct number { int n; operator int() const { return n; } };
number{ 9 }
//---
struct derived : hidden {};
derived{ { 8 } }
//---
std::optional<point>(point{ 5, 6 })
//---
std::map<int, point>{ { 1, { 2, 3 } } }
