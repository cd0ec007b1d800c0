/* SPDX-License-Identifier: Apache-2.0 */
/* The last store of global memory by a block, which may not have happened yet; private to race*.c.
 */
#ifndef CGPU_EMULATOR_RACE_STORE_H
#define CGPU_EMULATOR_RACE_STORE_H

#include "emulator/memory/access.h"

/* All zeros: none. */
struct race_store {
	_Atomic bool lock;
	const struct op *op;
	uint32_t number; /* of its access in the launch's log; 0: none whose values are known */
	uint32_t mask;
	uint64_t offset; /* to be added to the addresses */
	uint64_t address[LANES];
	struct access_registers values;
};

/* The warp is about to run o, noted under that number; its lanes touch address[lane] + offset. By
 * the block's own thread. */
void race_store_set(struct race_store *s, const struct warp *w, const struct op *o, uint32_t number,
		    const uint64_t *address, uint64_t offset);

/*
 * The bytes [at, at + size), which lie at `memory`, as they are once the block's store of that
 * number has happened for the lane. By any thread.
 */
void race_store_read(struct race_store *s, uint32_t number, uint32_t lane, uint64_t at,
		     const uint8_t *memory, uint32_t size, uint8_t *ret);

#endif
