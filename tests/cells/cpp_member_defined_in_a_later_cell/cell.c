struct shape { int side = 3; int area() const; };
shape s;
//---
s.area()
//---
int shape::area() const { return side * side; }
s.area()
