/* SPDX-License-Identifier: Apache-2.0 */
/* Open addressing with linear probing; the table is at most half full. */
#include "common/text/names.h"

#include <stdlib.h>
#include <string.h>

void names_init(struct names *n)
{
	*n = (struct names){ 0 };
	mem_pool_init(&n->pool);
}

void names_release(struct names *n)
{
	mem_pool_release(&n->pool);
	free(n->texts);
	free(n->slots);
	*n = (struct names){ 0 };
}

/* The FNV-1a hash. */
static uint32_t hash(const char *text, size_t len)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)text[i]) * 16777619u;
	return h;
}

/* Returns the slot that holds the text, or the free one where it belongs. */
static uint32_t slot_of(const struct names *n, const char *text, size_t len)
{
	uint32_t i = hash(text, len) & (n->n_slots - 1);

	while (n->slots[i]) {
		const char *have = n->texts[n->slots[i] - 1];

		if (!strncmp(have, text, len) && !have[len])
			break;
		i = (i + 1) & (n->n_slots - 1);
	}
	return i;
}

static int grow(struct names *n)
{
	uint32_t n_slots = n->n_slots ? 2 * n->n_slots : 1024;
	const char **texts = realloc(n->texts, n_slots / 2 * sizeof(*texts));
	uint32_t *slots = calloc(n_slots, sizeof(*slots));

	if (texts)
		n->texts = texts;
	if (!texts || !slots) {
		free(slots);
		return -1;
	}
	free(n->slots);
	n->slots = slots;
	n->n_slots = n_slots;
	n->cap = n_slots / 2;
	for (uint32_t i = 0; i < n->n; i++)
		slots[slot_of(n, texts[i], strlen(texts[i]))] = i + 1;
	return 0;
}

uint32_t names_add(struct names *n, const char *text, size_t len)
{
	if (n->n == n->cap && grow(n))
		return NAME_NONE;
	uint32_t slot = slot_of(n, text, len);

	if (!n->slots[slot]) {
		char *copy = mem_pool_strndup(&n->pool, text, len);

		if (!copy)
			return NAME_NONE;
		n->texts[n->n] = copy;
		n->slots[slot] = ++n->n;
	}
	return n->slots[slot] - 1;
}

uint32_t names_find(const struct names *n, const char *text, size_t len)
{
	if (!n->n_slots)
		return NAME_NONE;
	return n->slots[slot_of(n, text, len)] - 1; /* a free slot wraps to NAME_NONE */
}
