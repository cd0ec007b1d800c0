/* SPDX-License-Identifier: Apache-2.0 */
/* "Uses" is judged by whole words in the texts: too many found is harmless, too few is not. */
#include "kernel/session/declarations.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "common/error.h"

struct declaration_entry {
	struct declaration d;
	unsigned refs;
	unsigned hash; /* of the name: most comparisons end here */
	char text[]; /* name, host, device */
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool mentions(const char *text, const char *word)
{
	size_t len = strlen(word);

	if (!len)
		return false;
	for (const char *at = text; (at = strstr(at, word)); at += len)
		if ((at == text || !is_word(at[-1])) && !is_word(at[len]))
			return true;
	return false;
}

static bool uses(const struct declaration *user, const char *name)
{
	return mentions(user->host, name) || mentions(user->device, name);
}

static bool is_type(const struct declaration *d)
{
	return d->kind == DECLARATION_TAG || d->kind == DECLARATION_TYPEDEF;
}

static bool same_key(const struct declaration *a, const struct declaration *b)
{
	return !strcmp(declaration_space(a->kind), declaration_space(b->kind)) && !strcmp(a->name, b->name) &&
	       (*a->name || !strcmp(a->host, b->host));
}

static unsigned hash_name(const char *name)
{
	unsigned h = 2166136261u;

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 16777619u;
	return h;
}

static bool same_text(const struct declaration *a, const struct declaration *b)
{
	return a->kind == b->kind && !strcmp(a->host, b->host) && !strcmp(a->device, b->device);
}

static char *copy(char **to, const char *prefix, const char *text)
{
	char *start = *to;

	*to = stpcpy(stpcpy(start, prefix), text) + 1;
	return start;
}

/* `prefix` goes in front of both texts, where they are not empty. */
static struct declaration_entry *entry_new(const struct declaration *d, const char *prefix)
{
	size_t len = strlen(d->name) + strlen(d->host) + strlen(d->device) + 2 * strlen(prefix) + 3;
	struct declaration_entry *e = malloc(sizeof(*e) + len);
	char *to;

	if (!e)
		return NULL;
	e->refs = 1;
	e->hash = hash_name(d->name);
	e->d = *d;
	to = e->text;
	e->d.name = copy(&to, "", d->name);
	e->d.host = copy(&to, *d->host ? prefix : "", d->host);
	e->d.device = copy(&to, *d->device ? prefix : "", d->device);
	return e;
}

static void drop(struct declaration_entry *e)
{
	if (!--e->refs)
		free(e);
}

static void drop_all(struct declaration_entry **items, size_t n)
{
	for (size_t i = 0; i < n; i++)
		drop(items[i]);
}

void declarations_release(struct declarations *d)
{
	drop_all(d->items, d->n);
	free(d->items);
	memset(d, 0, sizeof(*d));
}

static void changed_at(struct declarations *d, size_t i)
{
	if (i < d->first_changed)
		d->first_changed = i;
}

static void remove_at(struct declarations *d, size_t i)
{
	drop(d->items[i]);
	d->n--;
	memmove(d->items + i, d->items + i + 1, (d->n - i) * sizeof(*d->items));
	changed_at(d, i);
}

static int append(struct declarations *d, struct declaration_entry *e, struct error *err)
{
	if (d->n == d->cap) {
		size_t cap = d->cap ? 2 * d->cap : 64;
		struct declaration_entry **grown = realloc(d->items, cap * sizeof(*grown));

		if (!grown)
			return error_set(err, ERROR_MEMORY, "out of memory for declarations");
		d->items = grown;
		d->cap = cap;
	}
	changed_at(d, d->n);
	d->items[d->n++] = e;
	return 0;
}

static size_t find(const struct declarations *d, const struct declaration *key)
{
	unsigned hash = hash_name(key->name);

	for (size_t i = d->n; i > 0; i--)
		if (d->items[i - 1]->hash == hash && same_key(&d->items[i - 1]->d, key))
			return i - 1;
	return d->n;
}

static bool used_after(const struct declarations *d, size_t i)
{
	const char *name = d->items[i]->d.name;

	for (size_t j = i + 1; j < d->n; j++)
		if (uses(&d->items[j]->d, name))
			return true;
	return false;
}

static bool among(const struct declaration *add, size_t n_add, const struct declaration *d)
{
	for (size_t i = 0; i < n_add; i++)
		if (same_key(&add[i], d))
			return true;
	return false;
}

/*
 * Marks what is declared after `at` with the name there, and with the names so found. Macros stay: they are expanded
 * where they are used.
 */
static void mark_users(const struct declarations *d, size_t at, bool *marked)
{
	marked[at] = true;
	for (size_t i = at + 1; i < d->n; i++)
		for (size_t j = at; j < i && !marked[i]; j++)
			marked[i] = marked[j] && d->items[i]->d.kind != DECLARATION_MACRO &&
				    uses(&d->items[i]->d, d->items[j]->d.name);
}

/* Takes the changed type and everything that was declared with it off the list. */
static int drop_type(struct declarations *d, size_t at, const struct declaration *add, size_t n_add,
		     struct buffer *notes, struct error *err)
{
	const struct declaration *type = &d->items[at]->d;
	bool *marked = calloc(d->n, sizeof(*marked)), named = false;

	if (!marked)
		return error_set(err, ERROR_MEMORY, "out of memory for declarations");
	mark_users(d, at, marked);
	for (size_t i = at + 1; i < d->n; i++) {
		const struct declaration *user = &d->items[i]->d;

		if (!marked[i] || among(add, n_add, user))
			continue;
		if (!named)
			buffer_printf(notes, "note: type %s has changed; declared with the old one, and so no longer "
				      "known:", type->name);
		buffer_printf(notes, "%s %s (In[%u])", named ? "," : "", user->name, user->cell);
		named = true;
	}
	if (named)
		buffer_puts(notes, ". Run their cells again to have them with the new type.\n");
	for (size_t i = d->n; i-- > at;)
		if (marked[i])
			remove_at(d, i);
	free(marked);
	return 0;
}

static int accept_one(struct declarations *d, const struct declaration *add, size_t n_add, size_t which,
		      struct buffer *notes, struct error *err)
{
	const struct declaration *one = &add[which];
	size_t at = find(d, one);
	bool replaces = at < d->n;
	struct declaration_entry *e;
	cleanup_buffer struct buffer undef = BUFFER_INIT;

	if (replaces && d->items[at]->d.kind == DECLARATION_MACRO && used_after(d, at)) {
		if (!same_text(&d->items[at]->d, one))
			buffer_printf(&undef, "#undef %s\n", one->name);
		replaces = same_text(&d->items[at]->d, one);
	}
	if (buffer_check(&undef, err))
		return -1;
	e = entry_new(one, strncmp(one->host, "#undef", 6) ? buffer_text(&undef) : "");
	if (!e)
		return error_set(err, ERROR_MEMORY, "out of memory for declarations");
	if (replaces && same_text(&d->items[at]->d, one)) {
		drop(d->items[at]);
		d->items[at] = e;
		return 0;
	}
	if (replaces && !is_type(&d->items[at]->d)) {
		remove_at(d, at);
	} else if (replaces && drop_type(d, at, add, n_add, notes, err)) {
		drop(e);
		return -1;
	}
	if (append(d, e, err)) {
		drop(e);
		return -1;
	}
	return 0;
}

int declarations_keep(const struct declarations *d, struct declarations_kept *ret, struct error *err)
{
	struct declaration_entry **copied = malloc((d->n + 1) * sizeof(*copied));

	if (!copied)
		return error_set(err, ERROR_MEMORY, "out of memory for declarations");
	for (size_t i = 0; i < d->n; i++) {
		copied[i] = d->items[i];
		copied[i]->refs++;
	}
	*ret = (struct declarations_kept){ copied, d->n };
	return 0;
}

void declarations_kept_release(struct declarations_kept *k)
{
	drop_all(k->items, k->n);
	free(k->items);
	*k = (struct declarations_kept){ 0 };
}

void declarations_return(struct declarations *d, struct declarations_kept *k)
{
	drop_all(d->items, d->n);
	free(d->items);
	d->items = k->items;
	d->n = k->n;
	d->cap = k->n;
	d->first_changed = 0;
	*k = (struct declarations_kept){ 0 };
}

int declarations_accept(struct declarations *d, const struct declaration *add, size_t n_add,
			struct buffer *notes, struct error *err)
{
	for (size_t i = 0; i < n_add; i++)
		if (accept_one(d, add, n_add, i, notes, err))
			return -1;
	return 0;
}

void declarations_clear(struct declarations *d)
{
	size_t told = d->told;

	declarations_release(d);
	d->told = told;
}

const struct declaration *declarations_find(const struct declarations *d, const char *name)
{
	for (size_t i = d->n; i > 0; i--)
		if (*name && !strcmp(d->items[i - 1]->d.name, name))
			return &d->items[i - 1]->d;
	return NULL;
}

int declarations_take_changes(struct declarations *d, size_t *ret_first, struct declaration **ret,
			      size_t *ret_n, struct error *err)
{
	size_t first = d->first_changed < d->n ? d->first_changed : d->n;
	struct declaration *list;

	if (d->first_changed >= d->told && d->n == d->told)
		return 0;
	list = malloc((d->n - first + 1) * sizeof(*list));
	if (!list)
		return error_set(err, ERROR_MEMORY, "out of memory for declarations");
	for (size_t i = first; i < d->n; i++)
		list[i - first] = d->items[i]->d;
	*ret_first = first;
	*ret = list;
	*ret_n = d->n - first;
	d->told = d->first_changed = d->n;
	return 1;
}
