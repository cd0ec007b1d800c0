int y = 1 +
   missing_name;
//---
int ok = 1;
int n = 5;
double v[n];
//---
ok
//---
int f(void) { int g(void) { return 1; } return g(); }
//---
puts("a")
puts("b");
//---
/* a comment
   of two lines */ int *p = "no", q = 3;
int late = undefined_fn(q);
//---
return 3;
//---
int main(void)
{
	if (1) {
		puts("a");
}
//---
puts("b"));
