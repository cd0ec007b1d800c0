int rate(int x) { return x; }
struct till { int total = 0; void add(int x) { total += rate(x); } };
till t;
t.add(5);
t.total
//---
int rate(int x) { return 10 * x; }
t.add(5);
t.total
//---
t.add(1); rate(t.total)
