void f(int, double) {}
void f(double, int) {}
f(1, 2);
//---
struct left { int id = 1; };
struct right { int id = 2; };
struct both : left, right {};
both b;
b.id
