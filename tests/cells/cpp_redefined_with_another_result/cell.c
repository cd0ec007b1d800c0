%%cpp
int scale(int x) { return 2 * x; }
namespace shape { int sides() { return 4; } }
struct point { int x; double length(); };
//---
%%cpp
int twice(int x) { return scale(scale(x)); }
int all() { return shape::sides(); }
twice(1) + all()
//---
%%cpp
double scale(int x) { return 1.5 * x; }
//---
%%cpp
namespace shape { double sides() { return 4.5; } }
//---
%%cpp
twice(1) + all() + scale(1) + shape::sides()
//---
twice(1)
//---
%%cpp
int scale(int x) { return 3 * x; }
twice(1)
