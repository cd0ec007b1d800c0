/* SPDX-License-Identifier: Apache-2.0 */
/* Units are appended and CODE only grows, so the list is sorted by address as it is. */
#include "runtime/loader/units.h"

#include <string.h>

#include "common/error.h"
#include "runtime/arena/arena.h"
#include "runtime/arena/meta.h"

struct units {
	struct unit_code *list;
	uint32_t n;
	uint32_t cap;
};

/* libgcc: makes the unwinder search this table, which ends with a zero word. */
extern void __register_frame(void *eh_frame);
/* libgcc: the entry for an address. It sorts tables that it has not seen yet, for which it calls malloc(). */
extern const void *_Unwind_Find_FDE(void *pc, void *bases[3]);

/* Have the tables sorted here: a signal handler that walks the stack must not allocate. */
static void sort_tables(uint64_t pc)
{
	void *bases[3];

	_Unwind_Find_FDE((void *)pc, bases);
}

static struct units *table(void)
{
	return (struct units *)arena_header()->root[ARENA_ROOT_UNITS];
}

int units_attach(struct error *err)
{
	if (!table())
		arena_header()->root[ARENA_ROOT_UNITS] = (uint64_t)(uintptr_t)meta_alloc(sizeof(struct units));
	if (!table())
		return error_set(err, ERROR_MEMORY, "no memory for the list of units");
	for (uint32_t i = 0; i < table()->n; i++) {
		if (table()->list[i].eh_frame)
			__register_frame((void *)table()->list[i].eh_frame);
	}
	sort_tables(1); /* in none of them, so all are looked at */
	return 0;
}

int units_add(const struct unit_code *u, struct error *err)
{
	struct units *t = table();

	if (t->n == t->cap) {
		uint32_t cap = t->cap ? t->cap * 2 : 32;
		struct unit_code *list = meta_alloc(cap * sizeof(*list));

		if (!list)
			return error_set(err, ERROR_MEMORY, "no memory for the list of units; %%reset starts afresh");
		if (t->n)
			memcpy(list, t->list, t->n * sizeof(*list));
		meta_free(t->list);
		t->list = list;
		t->cap = cap;
	}
	t->list[t->n++] = *u;
	if (u->eh_frame) {
		__register_frame((void *)u->eh_frame);
		sort_tables(u->start + (u->n_functions ? u->functions[0].offset : 0));
	}
	return 0;
}

const struct unit_code *units_find(uint64_t address)
{
	const struct units *t = arena_attached() ? table() : NULL;
	uint32_t low = 0, high = t ? t->n : 0;

	if (!t)
		return NULL;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (t->list[middle].start + t->list[middle].size <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < t->n && address >= t->list[low].start ? &t->list[low] : NULL;
}
