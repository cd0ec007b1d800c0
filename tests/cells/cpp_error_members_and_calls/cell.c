struct car { int speed() { return 1; } int wheels = 4; static int made() { return 7; } };
car c, *p = &c;
//---
p.wheels
//---
c->wheels
//---
c.speed
//---
c.wheels()
//---
car::speed()
