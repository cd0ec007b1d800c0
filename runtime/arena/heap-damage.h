/* SPDX-License-Identifier: Apache-2.0 */
/* Looks at the guards of blocks. For allocator.c, which holds its lock meanwhile. */
#ifndef CGPU_RUNTIME_ARENA_HEAP_DAMAGE_H
#define CGPU_RUNTIME_ARENA_HEAP_DAMAGE_H

#include <stdint.h>

#include "runtime/arena/allocator.h"
#include "runtime/arena/heap-guard.h"

struct allocator;
struct run;

/* Call fn if the guard of the slot, live or free, or of the large block has changed, and set it
 * anew. */
void heap_damage_in_slot(struct run *slab, uint32_t slot, allocator_damaged *fn, void *data);
void heap_damage_in_large(struct run *large, allocator_damaged *fn, void *data);
/* Do this for what the cell has allocated or freed, and for slots in pages that it has written. */
void heap_damage_each(struct allocator *a, uint32_t cell, allocator_damaged *fn, void *data);

#endif
