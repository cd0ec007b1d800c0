void h() { int local = 1; auto g = [=] { local++; }; }
//---
auto one = [](int x) { return x; };
one()
//---
auto mixed = [](bool b) { if (b) return 1; return 2.5; };
//---
auto self = [](int k) { return k ? self(k - 1) : 0; };
//---
void f() { int local = 1; auto g = [] { return local; }; }
