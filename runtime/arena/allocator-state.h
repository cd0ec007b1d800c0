/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The allocator's state in META, shared by allocator.c and allocator-report.c.
 *
 * A slab is a run of equal slots. Its bitmap says which are taken; `slots` says for each what
 * malloc() was asked. A block that was freed leaves its slot's record until the slot is taken
 * again.
 */
#ifndef CGPU_RUNTIME_ARENA_ALLOCATOR_STATE_H
#define CGPU_RUNTIME_ARENA_ALLOCATOR_STATE_H

#include "runtime/arena/arena.h"
#include "runtime/arena/page-runs.h"

#define CLASS_COUNT 36
#define SMALL_MAX 16384u
#define SLAB_SLOTS_MAX 1024u
#define RECENT_MAX 512u
#define FREED_MAX 1024u

struct slot {
	uint32_t cell;         /* that took it; 0: never taken */
	uint32_t freed;        /* cell that freed it; 0 while live */
	uint32_t slack : 31;   /* bytes of the slot beyond what was asked for */
	uint32_t poisoned : 1; /* free, and with the pattern of heap-guard.h */
	uint32_t site;         /* where malloc() was called, see allocator_hooks.caller */
};

struct slab {
	uint32_t n_slots;
	uint32_t n_taken;
	uint32_t hint;    /* word of the bitmap to look at first */
	uint32_t size;    /* bytes a slot */
	uint32_t touched; /* the last cell that has allocated or freed here */
	uint64_t taken[SLAB_SLOTS_MAX / 64];
	struct slot slots[];
};

/* A freed large block; its pages may belong to another run meanwhile. */
struct recent {
	uint64_t address;
	uint64_t size;
	uint32_t cell;
	uint32_t freed;
	uint32_t site;
};

/* The site at which a block was freed, for the last ones. */
struct freed {
	uint64_t address;
	uint32_t site;
};

struct allocator {
	struct page_runs runs;
	uint32_t partial[CLASS_COUNT]; /* slabs with free slots */
	struct recent recent[RECENT_MAX];
	uint32_t n_recent; /* ever; the last RECENT_MAX are kept */
	struct freed freed[FREED_MAX];
	uint32_t n_freed; /* ever */
};

static inline struct allocator *allocator_state(void)
{
	return (struct allocator *)arena_header()->root[ARENA_ROOT_ALLOCATOR];
}

static inline uint64_t page_address(uint32_t page)
{
	return ARENA_BASE + ARENA_HEAP_OFFSET + (uint64_t)page * ARENA_PAGE;
}

static inline uint32_t address_page(uint64_t address)
{
	return (uint32_t)((address - ARENA_BASE - ARENA_HEAP_OFFSET) / ARENA_PAGE);
}

static inline bool slab_taken(const struct slab *s, uint32_t slot)
{
	return s->taken[slot / 64] >> (slot % 64) & 1;
}

static inline void *slot_address(const struct run *slab, uint32_t slot)
{
	return (void *)(page_address(slab->page) + (uint64_t)slot * slab->slab->size);
}

/* Taken, and not kept after free(). */
static inline bool slab_live(const struct slab *s, uint32_t slot)
{
	return slab_taken(s, slot) && !s->slots[slot].freed;
}

#endif
