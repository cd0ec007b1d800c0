first(p)
	int *p;
{
	return *p + 1;
}
second(a, b) int a; char *b; { return a + *b; }
int q = 4;
first(&q) + second(1, "a")
//---
first(p) int *p; { return *p + 2; }
first(&q)
//---
#define EACH(i) for (int i = 0; i < 2; i++)
EACH(k) { printf("%d\n", k); }
first(&q);
int w;
{ w = 3; }
w
//---
typedef int *where;
third(p) where p; { return *p + 3; }
third(&q)
