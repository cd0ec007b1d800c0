struct point { int x; };
point a, b;
struct own { own(int) {} };
//---
a + b
//---
a == b
//---
own o = a;
//---
if (a) {}
//---
auto s = "a" + "b";
