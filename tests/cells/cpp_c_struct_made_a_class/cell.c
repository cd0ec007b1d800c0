struct point { int x, y; };
struct point p = { 1, 2 };
int sum(struct point *q) { return q->x + q->y; }
sum(&p)
//---
struct point { int x, y; point(int a = 0, int b = 0) : x(a), y(b) {} int length() const { return x * x + y * y; } };
point q(3, 4);
q.length()
//---
sum(&q)
