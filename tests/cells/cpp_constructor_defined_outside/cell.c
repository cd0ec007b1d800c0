struct money { int cents; money(int cents); money(); ~money(); };
money::money(int c) : cents(c) {}
money::money() : money(7) {}
money::~money() { printf("-%d,", cents); }
//---
money *p = new money(3), *q = new money;
p->cents * 10 + q->cents
//---
{ money local(4); }
//---
money::money(int c) : cents(100 * c) {}
money().cents
