/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resources of entries: what their PTX declares, and, if ptxas has made machine code of it, what
 * that uses on a GPU. As text and as an HTML table, with the resulting occupancy.
 */
#ifndef CGPU_COMPILER_RESOURCES_H
#define CGPU_COMPILER_RESOURCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler/inspect/listing.h"

struct resources {
	const char *name, *shown, *cell; /* in the pool that they were added with */
	/* Declared in PTX, which has a register for each value. */
	uint32_t predicates, virtual; /* virtual: in 32-bit registers, without predicates */
	uint32_t shared, local;       /* bytes */
	uint32_t max_threads;         /* 0: not said */
	bool dynamic_shared;
	/* Figures from ptxas -v. */
	bool assembled, has_constant; /* for newer targets it does not report constant memory */
	uint32_t registers, stack, spill_stores, spill_loads, assembled_shared, constant, barriers;
};

struct resources_list {
	struct resources *at;
	size_t n, cap;
	bool failed; /* memory is out */
};

/* Parameters of the table. */
struct resources_view {
	uint32_t sm;
	uint32_t threads; /* per block; 0: the usual sizes */
	uint32_t dynamic_shared;
	const char *problem; /* why there is no machine code; "" */
};

void resources_release(struct resources_list *r);
/* Adds the entries of this name in the listing's PTX that are not in the list yet; texts are copied
 * to the pool. */
void resources_add(struct resources_list *r, const struct listing *l, const char *name,
		   const char *cell, struct mem_pool *pool);
/* Reads the log of ptxas -v. */
void resources_read_log(struct resources_list *r, const char *log);

void resources_text(const struct resources_list *r, const struct resources_view *v,
		    struct buffer *out);
void resources_html(const struct resources_list *r, const struct resources_view *v,
		    struct buffer *out);

#endif
