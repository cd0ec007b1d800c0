#define BEGIN {
#define END }
int f(int x)
BEGIN
	return x + 1;
END
struct s BEGIN int a; END;
if (f(1) == 2)
BEGIN
	puts("two");
END
f(2)
//---
int g(int x) BEGIN if (x) BEGIN return 1; END return 2; END
struct s v = { 3 };
g(0) + v.a
