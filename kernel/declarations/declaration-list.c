/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The chains of the hash index run from high slots to low ones, so that the newest slot of a key is
 * found first: an older one stays when a macro that others use is redefined.
 */
#include "kernel/declarations/declaration-list.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/bug.h"
#include "common/base/error.h"

#define HEADS_MIN 256
#define FREE_MIN 64

static uint32_t hash_text(uint32_t h, const char *text)
{
	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 16777619u;
	return h;
}

static uint32_t hash_key(const struct declaration *d)
{
	return hash_text(hash_text(2166136261u, declaration_space(d->kind)),
			 *d->name ? d->name : d->host);
}

static bool same_key(const struct declaration *a, const struct declaration *b)
{
	return !strcmp(declaration_space(a->kind), declaration_space(b->kind)) &&
	       !strcmp(a->name, b->name) &&
	       (*a->name || (!strcmp(a->host, b->host) && !strcmp(a->device, b->device)));
}

static bool same_text(const struct declaration *a, const struct declaration *b)
{
	return a->kind == b->kind && !strcmp(a->name, b->name) && !strcmp(a->host, b->host) &&
	       !strcmp(a->device, b->device);
}

/* Compares all that the compiler is told: its messages name cell and line, and inspection shows
 * what is written. */
static bool says_the_same(const struct declaration *a, const struct declaration *b)
{
	return same_text(a, b) && a->cell == b->cell && a->line == b->line &&
	       !strcmp(declaration_written(a), declaration_written(b));
}

static char *copy(char **to, const char *prefix, const char *text)
{
	char *start = *to;

	*to = stpcpy(stpcpy(start, prefix), text) + 1;
	return start;
}

struct declaration_entry *declaration_entry_new(const struct declaration *d, const char *prefix,
						const uint32_t *owners, uint32_t n_owners)
{
	size_t texts = strlen(d->name) + strlen(d->host) + strlen(d->device) + 2 * strlen(prefix) +
		       strlen(declaration_written(d)) + 4;
	struct declaration_entry *e = malloc(sizeof(*e) + n_owners * sizeof(*owners) + texts);
	uint32_t *own;
	char *to;

	if (!e)
		return NULL;
	own = (uint32_t *)(e + 1);
	if (n_owners)
		memcpy(own, owners, n_owners * sizeof(*owners));
	to = (char *)(own + n_owners);
	*e = (struct declaration_entry){ .d = *d, .refs = 1, .n_owners = n_owners, .owners = own };
	e->d.name = copy(&to, "", d->name);
	e->d.host = copy(&to, *d->host ? prefix : "", d->host);
	e->d.device = copy(&to, *d->device ? prefix : "", d->device);
	e->d.written = copy(&to, "", declaration_written(d));
	e->hash = hash_key(&e->d);
	return e;
}

void declaration_entry_drop(struct declaration_entry *e)
{
	if (e && !--e->refs)
		free(e);
}

static void drop_log(struct declaration_list *l, size_t n)
{
	if (!n)
		return;
	for (size_t i = 0; i < n; i++)
		declaration_entry_drop(l->log[i].before);
	memmove(l->log, l->log + n, (l->n_log - n) * sizeof(*l->log));
	l->n_log -= n;
	l->log_start += n;
}

void declaration_list_release(struct declaration_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		declaration_entry_drop(l->items[i]);
	drop_log(l, l->n_log);
	free(l->items);
	free(l->heads);
	free(l->chain);
	free(l->log);
	free(l->marks);
	free(l->untold);
	memset(l, 0, sizeof(*l));
}

static bool is_free(const struct declaration_entry *e)
{
	return e->d.kind == DECLARATION_DROPPED;
}

/* ---- the index ---- */

/* An entry without a name and a text is nobody's key, and all of these would be in one chain. */
static bool has_key(const struct declaration_entry *e)
{
	return *e->d.name || *e->d.host;
}

static void enter(struct declaration_list *l, size_t slot)
{
	uint32_t *at = &l->heads[l->items[slot]->hash % l->n_heads];

	if (!has_key(l->items[slot]))
		return;
	while (*at > slot + 1)
		at = &l->chain[*at - 1];
	l->chain[slot] = *at;
	*at = (uint32_t)slot + 1;
}

static void leave(struct declaration_list *l, size_t slot)
{
	uint32_t *at = &l->heads[l->items[slot]->hash % l->n_heads];

	if (!has_key(l->items[slot]))
		return;
	while (*at != slot + 1)
		at = &l->chain[*at - 1];
	*at = l->chain[slot];
}

static void index_all(struct declaration_list *l)
{
	memset(l->heads, 0, l->n_heads * sizeof(*l->heads));
	for (size_t i = 0; i < l->n; i++)
		enter(l, i);
}

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_MEMORY, "out of memory for declarations");
}

/* Makes room for one more slot in all arrays. */
static int grow(struct declaration_list *l, struct error *err)
{
	size_t cap = l->cap ? 2 * l->cap : HEADS_MIN;
	struct declaration_entry **items;
	uint32_t *heads, *chain;

	if (l->n < l->cap)
		return 0;
	items = realloc(l->items, cap * sizeof(*items));
	if (items)
		l->items = items;
	chain = realloc(l->chain, cap * sizeof(*chain));
	if (chain)
		l->chain = chain;
	heads = items && chain ? malloc(cap * sizeof(*heads)) : NULL;
	if (!heads)
		return no_memory(err);
	free(l->heads);
	l->heads = heads;
	l->n_heads = l->cap = cap;
	index_all(l);
	return 0;
}

size_t declaration_list_find(const struct declaration_list *l, const struct declaration *key)
{
	uint32_t hash = hash_key(key), at = l->n_heads ? l->heads[hash % l->n_heads] : 0;

	for (; at; at = l->chain[at - 1])
		if (l->items[at - 1]->hash == hash && same_key(&l->items[at - 1]->d, key))
			return at - 1;
	return l->n;
}

/* ---- changes ---- */

static int note_untold(struct declaration_list *l, size_t slot, struct error *err)
{
	if (l->n_untold == l->cap_untold) {
		size_t cap = l->cap_untold ? 2 * l->cap_untold : 64;
		uint32_t *grown = realloc(l->untold, cap * sizeof(*grown));

		if (!grown)
			return no_memory(err);
		l->untold = grown;
		l->cap_untold = cap;
	}
	l->untold[l->n_untold++] = (uint32_t)slot;
	return 0;
}

static int note_undo(struct declaration_list *l, size_t slot, struct declaration_entry *before,
		     struct error *err)
{
	if (!l->n_marks)
		return 0;
	if (l->n_log == l->cap_log) {
		size_t cap = l->cap_log ? 2 * l->cap_log : 64;
		struct declaration_undo *grown = realloc(l->log, cap * sizeof(*grown));

		if (!grown)
			return no_memory(err);
		l->log = grown;
		l->cap_log = cap;
	}
	if (before)
		before->refs++;
	l->log[l->n_log++] = (struct declaration_undo){ slot, before };
	return 0;
}

int declaration_list_keep(struct declaration_list *l, uint64_t *ret_mark, struct error *err)
{
	if (l->n_marks == l->cap_marks) {
		size_t cap = l->cap_marks ? 2 * l->cap_marks : 16;
		uint64_t *grown = realloc(l->marks, cap * sizeof(*grown));

		if (!grown)
			return no_memory(err);
		l->marks = grown;
		l->cap_marks = cap;
	}
	*ret_mark = l->marks[l->n_marks++] = l->log_start + l->n_log;
	return 0;
}

/* Finds the last of equal marks: the same state may have been kept more than once. */
static bool has_mark(const struct declaration_list *l, uint64_t mark, size_t *ret)
{
	for (*ret = l->n_marks; (*ret)-- > 0;)
		if (l->marks[*ret] == mark)
			return true;
	return false;
}

void declaration_list_forget(struct declaration_list *l, uint64_t mark)
{
	size_t i;

	if (!has_mark(l, mark, &i))
		return;
	l->n_marks--;
	memmove(l->marks + i, l->marks + i + 1, (l->n_marks - i) * sizeof(*l->marks));
	drop_log(l, (l->n_marks ? l->marks[0] : l->log_start + l->n_log) - l->log_start);
}

int declaration_list_append(struct declaration_list *l, struct declaration_entry *e,
			    struct error *err)
{
	if (!e)
		return no_memory(err);
	if (grow(l, err) || note_untold(l, l->n, err) || note_undo(l, l->n, NULL, err)) {
		declaration_entry_drop(e);
		return -1;
	}
	l->n_free += is_free(e);
	l->items[l->n] = e;
	enter(l, l->n++);
	return 0;
}

static void put(struct declaration_list *l, size_t slot, struct declaration_entry *e)
{
	leave(l, slot);
	l->n_free -= is_free(l->items[slot]);
	l->n_free += is_free(e);
	declaration_entry_drop(l->items[slot]);
	l->items[slot] = e;
	enter(l, slot);
}

int declaration_list_set(struct declaration_list *l, size_t slot, struct declaration_entry *e,
			 struct error *err)
{
	if (!e)
		return no_memory(err);
	if ((!says_the_same(&l->items[slot]->d, &e->d) && note_untold(l, slot, err)) ||
	    note_undo(l, slot, l->items[slot], err)) {
		declaration_entry_drop(e);
		return -1;
	}
	put(l, slot, e);
	return 0;
}

void declaration_list_return(struct declaration_list *l, uint64_t mark)
{
	size_t i;

	if (!has_mark(l, mark, &i))
		BUG("declarations cannot go back to a mark that was forgotten");
	while (l->log_start + l->n_log > mark) {
		struct declaration_undo u = l->log[--l->n_log];

		if (!u.before) {
			leave(l, --l->n);
			l->n_free -= is_free(l->items[l->n]);
			declaration_entry_drop(l->items[l->n]);
			continue;
		}
		if (!says_the_same(&u.before->d, &l->items[u.slot]->d) &&
		    note_untold(l, u.slot, NULL))
			l->tell_all = true;
		put(l, u.slot, u.before);
	}
	l->n_marks = i + 1;
	l->renumbered = true;
}

void declaration_list_clear(struct declaration_list *l)
{
	struct declaration_list empty = { .told = l->told,
					  .log_start = l->log_start + l->n_log + 1 };

	declaration_list_release(l);
	*l = empty;
	l->renumbered = true;
}

/* ---- free slots ---- */

/* Keeps slots that the undo log refers to, since undo restores them. */
static void keep_logged(const struct declaration_list *l, uint32_t *moved)
{
	for (size_t i = 0; i < l->n_log; i++)
		moved[l->log[i].slot] = 1;
}

void declaration_list_compact(struct declaration_list *l)
{
	uint32_t *moved;
	size_t n = 0;

	if (l->n_free < FREE_MIN || l->n_free < l->n / 2)
		return;
	moved = calloc(l->n, sizeof(*moved));
	if (!moved)
		return; /* no error: the list only stays longer */
	keep_logged(l, moved);
	for (size_t i = 0; i < l->n; i++) {
		struct declaration_entry *e = l->items[i];

		if (is_free(e) && !*e->d.name && !moved[i]) {
			declaration_entry_drop(e);
			l->n_free--;
			continue;
		}
		moved[i] = (uint32_t)n;
		l->items[n++] = e;
	}
	for (size_t i = 0; i < l->n_log; i++)
		l->log[i].slot = moved[l->log[i].slot];
	free(moved);
	l->n = n;
	l->renumbered = l->tell_all = true;
	index_all(l);
}

/* ---- the compiler ---- */

static int by_slot(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

int declaration_list_take_changes(struct declaration_list *l, size_t *ret_total,
				  struct declaration_change **ret, size_t *ret_n, struct error *err)
{
	size_t known = l->tell_all ? 0 : l->told, n = 0;
	struct declaration_change *list;

	if (!l->n_untold && l->n == l->told && !l->tell_all)
		return 0;
	list = malloc((l->n_untold + (l->n > known ? l->n - known : 0) + 1) * sizeof(*list));
	if (!list)
		return no_memory(err);
	if (l->n_untold)
		qsort(l->untold, l->n_untold, sizeof(*l->untold), by_slot);
	for (size_t i = 0; i < l->n_untold; i++) {
		uint32_t slot = l->untold[i];

		if (slot < known && slot < l->n && (!n || list[n - 1].index != slot))
			list[n++] = (struct declaration_change){ slot, l->items[slot]->d };
	}
	for (size_t i = known; i < l->n; i++)
		list[n++] = (struct declaration_change){ (uint32_t)i, l->items[i]->d };
	*ret_total = l->told = l->n;
	*ret = list;
	*ret_n = n;
	l->n_untold = 0;
	l->tell_all = false;
	return 1;
}
