/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What entries need: what their PTX declares, and, where ptxas has made machine code of it, what
 * that takes on a GPU. As text and as an HTML table, with the occupancy that follows.
 */
#ifndef CGPU_COMPILER_RESOURCES_H
#define CGPU_COMPILER_RESOURCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler/inspect/listing.h"

struct resources {
	const char *name, *shown, *cell; /* of the pool that they were added with */
	/* As PTX declares them; its registers are as many as the code has values. */
	uint32_t predicates, virtual; /* virtual: in 32-bit registers, without predicates */
	uint32_t shared, local;       /* bytes */
	uint32_t max_threads;         /* 0: not said */
	bool dynamic_shared;
	/* As ptxas -v tells. */
	bool assembled, has_constant; /* for newer targets it does not tell constant memory */
	uint32_t registers, stack, spill_stores, spill_loads, assembled_shared, constant, barriers;
};

struct resources_list {
	struct resources *at;
	size_t n, cap;
	bool failed; /* memory is out */
};

/* How the table is asked for. */
struct resources_view {
	uint32_t sm;
	uint32_t threads; /* a block; 0: the usual sizes */
	uint32_t dynamic_shared;
	const char *problem; /* why there is no machine code; "" */
};

void resources_release(struct resources_list *r);
/* The entries of this name in the listing's PTX that are not there yet; texts are copied to the
 * pool. */
void resources_add(struct resources_list *r, const struct listing *l, const char *name,
		   const char *cell, struct mem_pool *pool);
/* What ptxas -v has said of them. */
void resources_read_log(struct resources_list *r, const char *log);

void resources_text(const struct resources_list *r, const struct resources_view *v,
		    struct buffer *out);
void resources_html(const struct resources_list *r, const struct resources_view *v,
		    struct buffer *out);

#endif
