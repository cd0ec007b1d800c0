/* SPDX-License-Identifier: Apache-2.0 */
/* Types that refer to each other, names of tags, members and variables at once, packed ones. */
#include <complex.h>
#include <stddef.h>
#include <stdio.h>

typedef struct a {
	int a, b;
} a;

typedef struct b {
	struct a **a;
	a last;
	enum { RED, GREEN = 4 } color;
} b;

a *first;
b two[2];

#define PACKED __attribute__((packed))
struct PACKED wire {
	char kind;
	unsigned length;
};

struct complex_like { double re, im; };

union number {
	int i;
	double complex z;
	struct { unsigned low : 4, high : 4; };
};

int (*table[2])(const a *), n_calls;

static int total(const a *x)
{
	n_calls++;
	return x->a + x->b;
}

static double complex turned(double complex z)
{
	return z * I;
}

int main(void)
{
	a v = { 3, 4 };
	union number u = { .i = 0x5a };

	first = &v;
	two[1] = (b){ &first, *first, GREEN };
	table[1] = total;
	printf("%d %d\n", table[1](*two[1].a), two[1].color + n_calls);
	printf("%zu %zu\n", sizeof(struct wire), offsetof(struct wire, length));
	printf("%u %u\n", u.low, u.high);
	printf("%g\n", creal(turned(2 + 3 * I)));
	return 0;
}
