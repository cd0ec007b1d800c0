#include <alloca.h>
int sum(int n)
{
	int *a = alloca(n * sizeof *a), s = 0;
	for (int i = 0; i < n; i++) a[i] = i;
	while (n--) s += a[n];
	return s;
}
sum(100)
