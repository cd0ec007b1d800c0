void nothing() { return true; }
//---
auto f(int &x) -> int & { return; }
//---
class c { int get() { return "text"; } };
//---
auto both(bool b) { if (b) return 1; return 2.5; }
//---
auto x = [] { return 1; }; return x();
