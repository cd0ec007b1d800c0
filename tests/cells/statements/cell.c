#define FOREACH(i, n) for (int i = 0; i < (n); i++)
#define SWAP(a, b) do { __typeof__(a) t_ = (a); \
	(a) = (b); \
	(b) = t_; } while (0)
int x = 1, y = 2, sum;
FOREACH(k, 3) { sum += k; }
FOREACH(k2, 3) sum += k2;
SWAP(x, y);
again:
if (x++ < 4)
	goto again;
else
	sum++;
do { y--; } while (y > 0);
switch (x) { case 1: puts("one"); break; default: puts("many"); }
goto end;
puts("never");
end:
sum
//---
int fib(n) int n; { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int total(int n, ...) { va_list ap; va_start(ap, n); int t = 0; while (n--) t += va_arg(ap, int); va_end(ap); return t; }
({ int s = fib(10); s + total(3, 1, 2, 3); })
//---
main() { return 5; }
main()
