/* SPDX-License-Identifier: Apache-2.0 */
/* One block in flight: memory for its warps, start, turns. A block's memory is used again by the
 * next one of the worker. */
#ifndef CGPU_EMULATOR_BLOCK_H
#define CGPU_EMULATOR_BLOCK_H

#include "emulator/warp/warp.h"

enum block_state {
	BLOCK_ENDED,
	BLOCK_GOING,    /* waits for its own other warps only */
	BLOCK_SPINNING, /* used up its turn in loops: maybe it waits for another block */
	BLOCK_FAULT,    /* worker->fault says why */
};

/* Bytes of host memory that one block of the launch takes. */
size_t block_bytes(const struct launch *l);
/* NULL: out of memory. Constant rows are filled but for those of a certain block. */
struct block *block_new(struct machine_worker *k);
void block_free(struct block *c);
void block_start(struct block *c, struct machine_worker *k, uint64_t linear);
/* Each warp that can run gets one turn. */
enum block_state block_turn(struct block *c);
/* Fault with `kind` at the place where the block is. */
void block_fault(struct block *c, enum gpu_fault_kind kind, const char *note);

#endif
