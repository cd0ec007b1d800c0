/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names lie in one array that doubles when it is full and is sorted once, after all of them are
 * added; lookups are binary searches, so they are valid after the sort only. A prefix finds its
 * first name by binary search and the rest by walking on. The kind of a word is never that of a
 * tag, because tags have a name space of their own in C; a tag stands in front of what else has its
 * name (`struct stat`, `stat()`), so that the search, when it meets the tag, goes on behind it.
 */
#include "compiler/text/header-names.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"

void header_names_release(struct header_names *h)
{
	free(h->at);
	*h = (struct header_names){ 0 };
}

static int grow(struct header_names *h)
{
	uint32_t cap = h->cap ? 2 * h->cap : 4096;
	struct header_name *grown;

	if (h->n < h->cap)
		return 0;
	grown = realloc(h->at, cap * sizeof(*grown));
	if (!grown)
		return -1;
	h->at = grown;
	h->cap = cap;
	return 0;
}

int header_names_add(struct header_names *h, struct names *names, char kind, const char *name,
		     const char *signature, struct error *err)
{
	struct header_name added = { .kind = kind };

	if (grow(h))
		return error_set(err, ERROR_MEMORY, "out of memory for the names of headers");
	added.name = mem_pool_strdup(&names->pool, name);
	added.signature = mem_pool_strdup(&names->pool, signature);
	if (!added.name || !added.signature)
		return error_set(err, ERROR_MEMORY, "out of memory for the names of headers");
	h->at[h->n++] = added;
	return 0;
}

static int by_name(const void *a, const void *b)
{
	const struct header_name *x = a, *y = b;

	int order = strcmp(x->name, y->name);

	return order ? order : (y->kind == 's') - (x->kind == 's');
}

void header_names_sort(struct header_names *h)
{
	if (h->n)
		qsort(h->at, h->n, sizeof(*h->at), by_name);
}

char header_names_kind(const struct header_names *h, const char *name, size_t len)
{
	uint32_t low = 0, high = h->n;

	while (low < high) {
		uint32_t middle = (low + high) / 2;
		const char *have = h->at[middle].name;
		int order = strncmp(have, name, len);

		if (!order && !have[len] && h->at[middle].kind != 's')
			return h->at[middle].kind;
		if (order < 0 || (!order && !have[len]))
			low = middle + 1;
		else
			high = middle;
	}
	return 0;
}

const struct header_name *header_names_with(const struct header_names *h, const char *prefix,
					    uint32_t *ret_n)
{
	size_t len = strlen(prefix);
	uint32_t low = 0, high = h->n, n = 0;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (strcmp(h->at[middle].name, prefix) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	while (low + n < h->n && !strncmp(h->at[low + n].name, prefix, len))
		n++;
	*ret_n = n;
	return h->at + low;
}
