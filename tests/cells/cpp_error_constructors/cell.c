class circle { double r; public: explicit circle(double r) : r(r) {} };
circle good(1);
//---
class circle2 { double r; public: explicit circle2(double r) : r(r) {} };
circle2 c;
//---
circle d = 2.0;
//---
circle e(1, 2);
