/* SPDX-License-Identifier: Apache-2.0 */
/* A unit's object with debugging information, for target-debug.c: the seed is what this is compiled
 * to. */
#include <stddef.h>

enum colour { RED, GREEN = 5 };

struct node {
	struct node *next;
	const char *name;
	int values[4];
	enum colour colour : 4;
	union {
		double d;
		long l;
	} u;
};

int count;

static inline int one_of(const struct node *n, int i)
{
	return n->values[i];
}

int walk(const struct node *list, int i);

int walk(const struct node *list, int i)
{
	int sum = 0;

	for (const struct node *n = list; n; n = n->next) {
		int value = one_of(n, i);

		sum += value;
		count++;
	}
	return sum;
}
