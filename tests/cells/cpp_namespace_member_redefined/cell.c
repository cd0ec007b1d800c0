namespace geo { int unit = 1; int length(int n) { return n * unit; } }
geo::length(3)
//---
namespace geo { int length(int n) { return n * unit * 1000; } }
geo::length(3)
//---
namespace geo { int unit = 2; }
geo::length(3)
//---
namespace geo { namespace flat { int area(int a, int b) { return length(a) * length(b); } } }
geo::flat::area(1, 2)
