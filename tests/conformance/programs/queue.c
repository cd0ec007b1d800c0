/* SPDX-License-Identifier: Apache-2.0 */
/* A ring buffer: forward declarations, static state, enumerators, callbacks. */
#include <stdio.h>
#include <stdlib.h>

typedef struct queue queue;
static queue *queue_new(unsigned capacity);
static int queue_put(queue *q, int value);
static int queue_take(queue *q, int *ret);

enum outcome { FULL = -1, DONE, EMPTY };

struct queue {
	unsigned capacity, first, n;
	int items[];
};

static unsigned made;

int main(void)
{
	queue *q = queue_new(3);
	int value, sum = 0;

	for (int i = 1; i <= 5; i++)
		if (queue_put(q, i * i) == FULL)
			printf("no room for %d\n", i * i);
	while (queue_take(q, &value) != EMPTY)
		sum += value;
	printf("sum %d of %u queue\n", sum, made);
	free(q);
	return sum == 14 ? 0 : 1;
}

static queue *queue_new(unsigned capacity)
{
	queue *q = calloc(1, sizeof(*q) + capacity * sizeof(q->items[0]));

	q->capacity = capacity;
	made++;
	return q;
}

static int queue_put(queue *q, int value)
{
	if (q->n == q->capacity)
		return FULL;
	q->items[(q->first + q->n++) % q->capacity] = value;
	return DONE;
}

static int queue_take(queue *q, int *ret)
{
	if (!q->n)
		return EMPTY;
	*ret = q->items[q->first];
	q->first = (q->first + 1) % q->capacity;
	q->n--;
	return DONE;
}
