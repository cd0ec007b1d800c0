/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays of shared memory of a block, and the local memory of its lanes. */
#ifndef CGPU_EMULATOR_BLOCK_MEMORY_H
#define CGPU_EMULATOR_BLOCK_MEMORY_H

#include "emulator/warp/warp.h"

/* All have met at a barrier: arrays that are written as a whole need no shadow any more. */
void block_settle_shadows(struct block *c);
/* Shared memory starts unwritten. Bytes behind the end of an array count as known. */
void block_forget_shared(struct block *c);
/* The local variables of a frame start unwritten for these lanes. */
void warp_forget_locals(struct warp *w, uint32_t lanes, uint32_t base, uint32_t size);
/* The array of shared memory that holds these bytes; NULL: none does. */
const struct memory_cache *block_array(const struct block *c, uint64_t offset, uint64_t size);

#endif
