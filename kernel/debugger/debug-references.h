/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The numbers by which front ends name a variable or a part whose parts they may want. They are of
 * one committed state; a number is never given again. The same part has the same number, so a ring
 * of pointers takes few of them.
 */
#ifndef CGPU_KERNEL_DEBUGGER_DEBUG_REFERENCES_H
#define CGPU_KERNEL_DEBUGGER_DEBUG_REFERENCES_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/mem-pool.h"
#include "kernel/views/presenter-part.h"

struct error;

/* What all references of a state may take. */
#define DEBUG_REFERENCES_MAX 16384
#define DEBUG_REFERENCES_BYTES (16u << 20)

/* References are below this number. */
#define DEBUG_REFERENCES_END 0x70000000

struct debug_reference {
	struct presenter_part part; /* without bytes and text; a name is that of a variable */
	uint64_t end;               /* of the variable that it is in, if that is on the device */
};

struct debug_references {
	uint64_t state;
	int32_t base; /* the last number of earlier states */
	struct debug_reference *at;
	size_t n, cap;
	struct mem_pool texts;
};

void debug_references_release(struct debug_references *r);
/* Drops what was of another state; returns whether that was so. */
bool debug_references_renew(struct debug_references *r, uint64_t state);
/* Returns the number of this part; 0: the tables are full. The texts are copied. */
int32_t debug_references_add(struct debug_references *r, const struct debug_reference *what);
/* Returns the part with this number. ERROR_STATE: it is of an earlier state; ERROR_INPUT: it was
 * not given. */
const struct debug_reference *debug_references_find(const struct debug_references *r,
						    int64_t number, struct error *err);

#endif
