/* SPDX-License-Identifier: Apache-2.0 */
/* The state that the parts of the race check share; private to race*.c. */
#ifndef CGPU_EMULATOR_RACE_STATE_H
#define CGPU_EMULATOR_RACE_STATE_H

#include <pthread.h>
#include <sched.h>

#include "emulator/check/race-plan.h"
#include "emulator/check/race-store.h"
#include "emulator/check/race.h"
#include "emulator/exec/address-rows.h"

/* Accesses that are alike: by one operation of a warp, with nothing between them that orders. */
struct race_access {
	const struct op *op;
	const struct ptx_program *program;
	uint64_t time;  /* of the launch */
	uint64_t block; /* linear number */
	uint32_t epoch; /* barriers that the block had passed */
	uint32_t meets; /* meetings that the warp had had */
	uint16_t warp;
	uint8_t kind; /* enum gpu_access */
	bool strong;
};

/* A mark is the number of an access in its log, times 32, plus the lane; 0: none. */
struct race_cell {
	uint32_t write, read;
	uint32_t other; /* a read by another warp than `read` */
};

/* In `other` of global memory: by another block than `read`, so that whoever writes is unordered
 * with one of them. */
#define RACE_OTHER_BLOCK 0x80000000u

#define RACE_LANE_BITS 5
#define RACE_NUMBERS (1u << (32 - RACE_LANE_BITS))
#define RACE_RECENT 8

enum race_space { RACE_SHARED, RACE_GLOBAL, RACE_SPACES };

/* The number of a recent access, to be used again by one alike. */
struct race_recent {
	const struct op *op;
	uint64_t time;
	uint32_t epoch, meets, number;
};

struct race_warp {
	uint64_t known; /* what happened before this time is in order */
	uint32_t meets;
	uint32_t dirty;  /* lanes that wrote global memory since their last fence or barrier */
	uint32_t fenced; /* lanes whose writes, and what they knew, lie before a fence */
	/* Strong reads whose values are known only at the next call. */
	uint32_t acquiring; /* lanes; 0: none */
	enum race_space acquiring_space;
	uint64_t acquired[LANES];
	struct race_recent recent[RACE_SPACES][RACE_RECENT];
};

/*
 * A read of shared memory that no write has asked for yet: what struct race_access has beyond what
 * the block knows, and the numbers of the cells, not checked. Small, since many are written and few
 * are read.
 */
struct race_read {
	const struct op *op;
	const struct ptx_program *program;
	uint64_t time;
	uint32_t meets;
	uint32_t mask;
	uint32_t size;
	uint16_t warp;
	bool strong;
	uint16_t at[LANES];
};

/* The time of the last release at an address. */
struct race_release {
	uint64_t address; /* + 1; 0: free */
	uint64_t time;
};

struct race_releases {
	struct race_release *slots;
	uint32_t count, cap;
};

struct race_log {
	struct race_access *items;
	uint32_t count, cap;
};

struct race_page;
struct race_slab;

#define RACE_PAGES_RECENT 128

struct race_block {
	struct race *race;
	struct block *block;
	struct race_block *next;
	uint32_t epoch;
	bool fenced; /* some lane of the block, since the last barrier */
	struct race_warp warps[MACHINE_MAX_THREADS_PER_BLOCK / LANES];
	/* Shared memory. */
	struct race_cell *cells;
	uint32_t size;       /* bytes that the cells stand for */
	unsigned shift;      /* a cell stands for 1 << shift bytes */
	uint32_t base;       /* number of the first access of this epoch */
	struct race_log log; /* of this epoch */
	bool written;        /* in this epoch */
	bool read_only;      /* nothing is written in this epoch, whatever the threads do */
	struct race_read *reads;
	uint32_t read_count;
	struct race_releases releases;
	uint32_t number, number_end; /* of the next access in the launch's log, and of one that is
					not this block's any more */
	struct race_page
		*pages[RACE_PAGES_RECENT]; /* of global memory, looked up last, by their numbers */
	struct race_store store;           /* into global memory */
	const struct op *freed;            /* the operation that runs, when it is not watched */
};

struct race_side {
	struct race_access access;
	uint32_t lane;
};

enum race_level { RACE_NONE, RACE_WARNING, RACE_ERROR };

struct race_hazard {
	struct race_side first, second;
	enum race_level level;
	uint64_t count;
	enum race_space space;
	uint64_t address;
	uint32_t size;       /* bytes of the second access */
	uint32_t value_size; /* 0: values unknown */
	uint64_t current, incoming;
	bool same_instruction;
	uint64_t array_start; /* of shared memory: of the array that holds it */
	char buffer_name[64]; /* of global memory */
	uint64_t buffer_address, buffer_size;
	uint32_t buffer_tag;
};

#define RACE_HAZARDS 64
#define RACE_CHUNK 1024
#define RACE_RESERVE 32 /* numbers that a block takes at a time */

/* A piece of the log of a launch. */
struct race_chunk {
	struct race_access items[RACE_CHUNK];
	struct race_block *owners[RACE_CHUNK / RACE_RESERVE]; /* who took these numbers */
};

#define RACE_PAGE_SLOTS (1u << 17)

/* By which pages and accesses are found; read without a lock. */
struct race_tables {
	struct race_tables *next;
	struct race_page *_Atomic pages[RACE_PAGE_SLOTS];
	struct race_chunk *_Atomic chunks[RACE_NUMBERS / 2 / RACE_CHUNK];
};

struct race_global {
	pthread_mutex_t lock; /* of what follows, but for reading the tables */
	struct race_tables *tables;
	uint32_t page_count;
	struct race_page *last_page;
	struct race_slab *slabs; /* what lies in the first one is not used up */
	uint32_t slab_count, slab_used;
	_Atomic uint32_t count;
	struct race_releases releases;
	_Atomic bool released; /* there are some */
};

struct race {
	struct observer observer;
	struct race_options options;
	const struct address_rows *rows;
	_Atomic uint64_t time;
	_Atomic bool cut;
	const struct machine_launch
		*launch;       /* that is checked; those that its device code makes are not */
	struct race_plan plan; /* made with it */
	pthread_mutex_t lock;  /* of launch, hazards and free blocks */
	struct race_block *spare;
	struct race_hazard hazards[RACE_HAZARDS];
	uint32_t hazard_count;
	struct race_global global;
};

/* An access that is about to happen, to be compared with earlier ones. */
struct race_now {
	struct race_block *c;
	struct warp *w;
	const struct op *o;
	const struct memory_step *s;
	enum race_space space;
	uint32_t number;
	struct race_access access;
};

static inline uint32_t race_mark(uint32_t number, uint32_t lane)
{
	return number << RACE_LANE_BITS | lane;
}

static inline uint64_t race_time(const struct race *r)
{
	return atomic_load_explicit(&r->time, memory_order_relaxed);
}

/* An access of this kind by the warp, as things stand. */
static inline struct race_access race_access_now(const struct race_block *c, const struct warp *w,
						 const struct op *o, enum gpu_access kind,
						 bool strong)
{
	return (struct race_access){
		.op = o,
		.program = w->frame->program,
		.block = w->block->linear,
		.epoch = c->epoch,
		.time = race_time(c->race),
		.meets = c->warps[w->index].meets,
		.warp = (uint16_t)w->index,
		.kind = (uint8_t)kind,
		.strong = strong,
	};
}

static inline bool race_writes(const struct race_access *a)
{
	return a->kind != GPU_ACCESS_READ;
}

/* The place where the number of the last access like this one may be. */
static inline struct race_recent *race_recent(const struct race_now *n)
{
	return &n->c->warps[n->access.warp]
			.recent[n->space][(uintptr_t)n->o / sizeof(struct op) % RACE_RECENT];
}

static inline bool race_is_alike(const struct race_recent *r, const struct race_now *n)
{
	return r->op == n->o && r->epoch == n->access.epoch && r->meets == n->access.meets &&
	       r->time == n->access.time;
}

/* Held for some instructions only. */
static inline void race_lock(_Atomic bool *lock)
{
	while (atomic_exchange_explicit(lock, true, memory_order_acquire))
		sched_yield();
}

static inline void race_unlock(_Atomic bool *lock)
{
	atomic_store_explicit(lock, false, memory_order_release);
}

/* Who made the access of global memory with that mark. */
static inline struct race_block *race_owner(const struct race *r, uint32_t mark)
{
	uint32_t number = (mark & ~RACE_OTHER_BLOCK) >> RACE_LANE_BITS;

	return r->global.tables->chunks[number / RACE_CHUNK]
		->owners[number % RACE_CHUNK / RACE_RESERVE];
}

/* Stop checking: memory is out or a limit is reached. */
void race_cut(struct race *r);
/* `old` at `mark` and the access of this lane touch the same cell, one of them writes: is that a
 * race? Notes it. */
void race_compare(const struct race_now *n, const struct race_access *old, uint32_t mark,
		  uint32_t lane);

/* No lane's access races with one by another lane, or whoever would be told does not want to know.
 */
bool race_is_silent(const struct race_now *n, const struct race_access *old);

/* race-shared.c */
void race_shared_begin(struct race_block *c);
/* All that barrier `id` waits for have arrived. */
void race_shared_barrier(struct race_block *c, uint32_t id);
void race_shared_access(struct race_now *n);
/* A read of that size, which can be noted without its addresses being known. */
bool race_shared_note(struct race_block *c, struct warp *w, const struct op *o, uint32_t size);
void race_shared_release(struct race_block *c);

/* race-global.c */
void race_global_access(struct race_now *n);
/*
 * A plain access of this shape, by the address row of n->o: n->s and n->access say nothing yet.
 * False: it is one that race_global_access() must see.
 */
bool race_global_halves(struct race_now *n, const struct access_shape *shape);

#endif
