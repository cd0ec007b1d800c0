struct only { only() {} only(const only &) = delete; };
void take(only o) {}
only a;
//---
only b = a;
//---
take(a);
//---
struct holds { const int n = 1; };
holds h, g;
h = g;
