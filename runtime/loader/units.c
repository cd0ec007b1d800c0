/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Units are appended and CODE only grows, so the list is sorted by address as it is. Units that may
 * be shared are found by their content in hash chains of indices, which are made anew when the list
 * has grown.
 */
#include "runtime/loader/units.h"

#include <string.h>

#include "common/base/error.h"
#include "runtime/arena/arena.h"
#include "runtime/arena/meta.h"

struct units {
	struct unit_code *list;
	uint32_t n;
	uint32_t cap;
	uint32_t *heads; /* cap of them: 1 + index of the newest unit of the chain */
};

/* libgcc: makes the unwinder search this table, which ends with a zero word. */
extern void __register_frame(void *eh_frame);
/* libgcc: the entry for an address. It sorts tables that it has not seen yet, for which it calls
 * malloc(). */
extern const void *_Unwind_Find_FDE(void *pc, void *bases[3]);

/* Have the tables sorted here: a signal handler that walks the stack must not allocate. */
static void sort_tables(uint64_t pc)
{
	void *bases[3];

	_Unwind_Find_FDE((void *)pc, bases);
}

/* One by one: libgcc keeps a list by address, the highest first, and walks it for each that it has
 * not seen. */
static void make_known(const struct unit_code *u)
{
	if (!u->eh_frame)
		return;
	__register_frame((void *)u->eh_frame);
	sort_tables(u->start + (u->n_functions ? u->functions[0].offset : 0));
}

static struct units *table(void)
{
	return (struct units *)arena_header()->root[ARENA_ROOT_UNITS];
}

int units_attach(struct error *err)
{
	if (!table())
		arena_header()->root[ARENA_ROOT_UNITS] =
			(uint64_t)(uintptr_t)meta_alloc(sizeof(struct units));
	if (!table())
		return error_set(err, ERROR_MEMORY, "no memory for the list of units");
	for (uint32_t i = 0; i < table()->n; i++)
		make_known(&table()->list[i]);
	return 0;
}

static void enter(struct units *t, uint32_t i)
{
	uint32_t *head = &t->heads[t->list[i].content % t->cap];

	if (!t->list[i].content)
		return;
	t->list[i].same = *head;
	*head = i + 1;
}

static int grow(struct units *t)
{
	uint32_t cap = t->cap ? t->cap * 2 : 32;
	struct unit_code *list = meta_alloc(cap * sizeof(*list));
	uint32_t *heads = meta_alloc(cap * sizeof(*heads));

	if (!list || !heads)
		return -1;
	if (t->n)
		memcpy(list, t->list, t->n * sizeof(*list));
	meta_free(t->list);
	meta_free(t->heads);
	t->list = list;
	t->heads = heads;
	t->cap = cap;
	for (uint32_t i = 0; i < t->n; i++)
		enter(t, i);
	return 0;
}

int units_add(const struct unit_code *u, struct error *err)
{
	struct units *t = table();

	if (t->n == t->cap && grow(t))
		return error_set(err, ERROR_MEMORY,
				 "no memory for the list of units; %%reset starts afresh");
	t->list[t->n] = *u;
	enter(t, t->n++);
	make_known(u);
	return 0;
}

const struct unit_code *units_same(uint64_t content, const struct unit_code *last)
{
	const struct units *t = table();
	uint32_t at = last ? last->same : t->cap ? t->heads[content % t->cap] : 0;

	while (at && t->list[at - 1].content != content)
		at = t->list[at - 1].same;
	return at ? &t->list[at - 1] : NULL;
}

void units_renew(const struct unit_code *same, const struct unit_code *u)
{
	struct unit_code *mine = &table()->list[same - table()->list];

	for (uint32_t i = 0; i < mine->n_functions; i++)
		meta_free((char *)mine->functions[i].name);
	meta_free(mine->functions);
	meta_free(mine->lines);
	mine->functions = u->functions;
	mine->n_functions = u->n_functions;
	mine->lines = u->lines;
	mine->n_lines = u->n_lines;
	mine->run = u->run;
	mine->owner = u->owner;
	mine->cell = u->cell;
}

const struct unit_code *units_all(uint32_t *ret_n)
{
	const struct units *t = arena_attached() ? table() : NULL;

	*ret_n = t ? t->n : 0;
	return t ? t->list : NULL;
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
