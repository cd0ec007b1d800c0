/* SPDX-License-Identifier: Apache-2.0 */
/* The elements of a container of the C++ library, from the bytes of the object and the memory that
 * it leads to; all of it may be made up, so each step is bounded. */
#ifndef CGPU_KERNEL_VIEWS_CONTAINER_WALK_H
#define CGPU_KERNEL_VIEWS_CONTAINER_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/code/type-code.h"

/* Reads memory; 0, or -1 when there is none at the address. */
typedef int container_read(void *data, uint64_t address, void *ret, size_t len);

struct container_walk {
	struct type_code_container of;
	container_read *read;
	void *data;
	size_t size; /* of an element, in bytes */
	uint64_t n;  /* how many there are; of a forward list UINT64_MAX: it does not know */
	uint64_t at; /* how many were visited */
	uint64_t address;
	uint64_t per_piece, pieces; /* of a deque: elements of a piece, address of their table */
	uint64_t header;            /* of a tree: the node above its root */
};

/*
 * Begins with the bytes of an object at `address`, whose code, a container's, type_code_skip() has
 * accepted. False: nothing can be read, or what it says makes no sense.
 */
bool container_walk_init(struct container_walk *w, const char *code, const char *bytes,
			 uint64_t address, container_read *read, void *data);
/* Returns the address of the next element; 0: there is none, or it cannot be found. */
uint64_t container_walk_next(struct container_walk *w);
/* Passes by as many. Where the elements lie in one piece, or in few, that takes no time. */
void container_walk_skip(struct container_walk *w, uint64_t n);

/* All elements lie one behind the other, at container_walk.address. */
bool container_walk_is_array(const struct container_walk *w);
/* The codes of a key and of a value, and where the value lies behind the key. */
struct container_pair {
	const char *key, *value;
	uint64_t offset;
};

/* Takes apart the element of a map; false: the container is none. */
bool container_pair_of(const struct type_code_container *of, struct container_pair *ret);

#endif
