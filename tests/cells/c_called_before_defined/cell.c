double r = area(2.0);
printf("%g\n", twice(r));
double area(double x) /* of a square */
{
	return x * x;
}
static inline double twice(double x) { return 2 * x; }
r
//---
typedef struct { int a; } box;
show(make(3));
void show(box b) { printf("%d\n", b.a); }
box make(int a) { return (box){ a }; }
//---
int v[] = { 3, 1, 2 };
qsort(v, 3, sizeof(int), order);
int order(const void *a, const void *b) { return *(int *)a - *(int *)b; }
v
//---
int first(void) { return second_of_all(); }
int second_of_all(void) { return 2; }
