struct counter { int n = 0; int next() { return ++n; } };
counter c;
c.next() + c.next()
//---
struct counter { int n = 0; int next() { return n += 10; } };
counter d;
d.next()
//---
c.next()
