/* SPDX-License-Identifier: Apache-2.0 */
/* Sorted arrays of address ranges. */
#include "emulator/driver/device/memory-table.h"

#include <stdlib.h>
#include <string.h>

size_t range_index(const struct range_table *t, uint64_t address)
{
	size_t low = 0, high = t->n;

	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct range *r = range_at(t, middle);

		if (r->address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void *range_find(const struct range_table *t, uint64_t address)
{
	size_t i = range_index(t, address);
	struct range *r;

	if (i < t->n) {
		r = range_at(t, i);
		if (r->address == address)
			return r;
	}
	if (!i)
		return NULL;
	r = range_at(t, i - 1);
	return address - r->address < r->size ? r : NULL;
}

bool range_overlaps(const struct range_table *t, uint64_t address, uint64_t size)
{
	size_t i = range_index(t, address);
	const struct range *r;

	if (i < t->n) {
		r = range_at(t, i);
		if (r->address < address + size)
			return true;
	}
	return range_find(t, address);
}

void *range_insert(struct range_table *t, uint64_t address)
{
	size_t i = range_index(t, address);
	char *at;

	if (t->n == t->cap) {
		size_t cap = t->cap ? t->cap * 2 : 64;
		char *items = realloc(t->items, cap * t->item);

		if (!items)
			return NULL;
		t->items = items;
		t->cap = cap;
	}
	at = range_at(t, i);
	memmove(at + t->item, at, (t->n - i) * t->item);
	memset(at, 0, t->item);
	t->n++;
	return at;
}

void range_remove(struct range_table *t, void *item)
{
	char *at = item, *end = t->items + t->n * t->item;

	memmove(at, at + t->item, (size_t)(end - at) - t->item);
	t->n--;
}
