/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An array in the order of the object, which is mostly the order in which the cell asks: each
 * search goes on where the last one has ended.
 */
#include "runtime/loader/initials.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"

struct initial {
	const char *name; /* NULL: has taken effect */
	uint64_t address;
	void *bytes; /* owned; NULL: zeroes */
	size_t size;
};

static struct {
	struct initial *at; /* owned */
	size_t n, cap;
	size_t next; /* where the next one probably is */
} initials;

int initials_add(const char *name, uint64_t address, void *bytes, size_t size, struct error *err)
{
	if (initials.n == initials.cap) {
		size_t cap = initials.cap ? 2 * initials.cap : 16;
		struct initial *grown = realloc(initials.at, cap * sizeof(*grown));

		if (!grown) {
			free(bytes);
			return error_set(err, ERROR_MEMORY, "no memory to load a variable");
		}
		initials.at = grown;
		initials.cap = cap;
	}
	initials.at[initials.n++] = (struct initial){ name, address, bytes, size };
	return 0;
}

void initials_clear(void)
{
	for (size_t i = 0; i < initials.n; i++)
		free(initials.at[i].bytes);
	initials.n = initials.next = 0;
}

static void take_effect(struct initial *v)
{
	if (v->bytes)
		memcpy((void *)v->address, v->bytes, v->size);
	else
		memset((void *)v->address, 0, v->size);
	v->name = NULL;
}

void initials_take_effect(const char *name)
{
	for (size_t k = 0; k < initials.n; k++) {
		size_t i = (initials.next + k) % initials.n;

		if (initials.at[i].name && !strcmp(initials.at[i].name, name)) {
			initials.next = i + 1;
			take_effect(&initials.at[i]);
			return;
		}
	}
}
