/* SPDX-License-Identifier: Apache-2.0 */
/* Interned names: a number for each distinct word, so that sets of names are arrays. Numbers start
 * at 0 and stay the same. */
#ifndef CGPU_COMMON_TEXT_NAMES_H
#define CGPU_COMMON_TEXT_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/mem-pool.h"

struct names {
	struct mem_pool pool;
	const char **texts; /* by number */
	uint32_t n, cap;
	uint32_t *slots; /* number + 1; 0 is free */
	uint32_t n_slots;
};

#define NAME_NONE UINT32_MAX

void names_init(struct names *n);
void names_release(struct names *n);
/* Adds a name, or finds it. NAME_NONE when memory is out. */
uint32_t names_add(struct names *n, const char *text, size_t len);
/* Finds a name. NAME_NONE when it was never added. */
uint32_t names_find(const struct names *n, const char *text, size_t len);

#endif
