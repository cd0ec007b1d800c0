/* SPDX-License-Identifier: Apache-2.0 */
/*
 * State of a running launch. A warp holds 32 lanes that execute in step as long as they are at the
 * same place; where they part, each group is a fragment {place, lanes}. The fragment of the
 * innermost call with the lowest place runs, so lanes meet again after a branch, and no analysis of
 * the control flow is needed. All state lies in these structs: a warp can stop after any operation
 * and go on later.
 *
 * Fields above the line in struct warp are what handlers touch; a compiler for hot code may rely on
 * their place.
 */
#ifndef CGPU_EMULATOR_WARP_H
#define CGPU_EMULATOR_WARP_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "emulator/ptx/machine-limits.h"
#include "emulator/ptx/ptx-program.h"
#include "emulator/warp/machine.h"

/*
 * The last buffer an operation touched: an address is inside when address - base <= size - access,
 * and then its bytes may be read and written without more ado when `shadow` is NULL. Else it holds
 * the shadow of `base` (shadow.h): stores mark there what they write, loads look whether all was
 * written, as the handlers of loads and stores do; code made for hot loops calls these then. A load
 * may answer that it is to be run again, watched: NULL, WARP_RESUME and w->next the same operation.
 * Local memory is like a buffer with a shadow always. Operations on shared memory use one more
 * step, since its arrays lie elsewhere for each block: caches[o->cache].array is the index in
 * w->arrays of the array that the operation touched last.
 */
struct memory_cache {
	uint64_t base;
	uint64_t size; /* 0: nothing cached */
	uint8_t *bytes;
	union {
		uint64_t array; /* in the caches of operations on shared memory */
		uint64_t known; /* in w->arrays: words of the shadow that are known from the start
				   on */
	};
	uint8_t *shadow;
};

/* One activation of a function by some lanes of a warp. */
struct frame {
	struct frame *parent;
	const struct ptx_program *program;
	uint8_t *rows;
	struct memory_cache *caches;
	uint8_t *params;             /* lane-major, program->param_area bytes each */
	const struct op *return_to;  /* in the parent */
	const struct ptx_call *call; /* how results go back */
	uint32_t local_base; /* where its local variables start in the lane's local memory */
	uint32_t dynamic;    /* bytes that alloca has added to these, the same for all lanes */
	uint32_t depth;
	uint32_t live; /* lanes that have not returned */
	struct frame *next_free, *next_made;
	size_t capacity;
	uint8_t *taint; /* of rows and params, taint.h; NULL: none is tainted */
};

struct fragment {
	const struct op *pc;
	struct frame *frame;
	uint32_t mask;
	bool yielded; /* used up its turn while others of the warp could run */
};

enum parked_kind { PARKED_BARRIER, PARKED_WARP };

/* A fragment that waits at its operation `pc` for other lanes. */
struct parked {
	struct fragment fragment;
	enum parked_kind kind;
	uint32_t barrier; /* PARKED_BARRIER: its number */
	uint32_t need;    /* PARKED_WARP: lanes that must arrive, exited ones aside */
};

enum warp_event {
	WARP_RESUME, /* fragments or mask changed: choose again, w->next is where the current one
			goes on */
	WARP_SLICE,  /* the budget of back edges is used up */
	WARP_GONE,   /* the current fragment ended or was parked */
	WARP_OTHERS, /* the other warps of the block go on first; the fragment is among the ready
			ones */
	WARP_FAULT,
};

/* One value a lane for an operation between lanes. */
struct lane_values {
	uint32_t low[LANES], high[LANES];
};

struct block;
struct taint;
struct machine_worker;

struct warp {
	uint8_t *rows;
	struct memory_cache *caches;
	const struct memory_cache *arrays; /* block->arrays */
	const struct op *limit; /* place of the next fragment of this frame; a fragment that gets
				   there must stop */
	const struct op *next;
	struct frame *frame;
	struct block *block;
	struct machine_worker *worker;
	uint8_t *local;
	uint8_t *local_shadow; /* lane after lane, as local */
	uint32_t mask;         /* lanes of the running fragment */
	uint32_t live;         /* lanes that have not exited */
	int32_t budget;        /* back edges left in this turn */
	uint32_t local_size;   /* bytes a lane */
	enum warp_event event;
	_Alignas(64) uint32_t lanes[LANES]; /* mask expanded: all ones for an active lane */
	/* -------- */
	uint32_t index; /* in its block */
	uint32_t yield_budget;
	bool fresh;           /* has not given its turn away since it left a barrier */
	const struct op *met; /* it has waited there for the warp beside it */
	int32_t turn;         /* budget given at the start of the turn */
	uint32_t ready_count, parked_count;
	struct fragment ready[LANES]; /* the last one runs next */
	struct parked parked[LANES];
	struct frame kernel; /* the frame of the kernel itself */
	struct frame *free_frames;
	struct frame *made_frames; /* all there are, free or in use */
	/* Joint warp operations (shfl, vote, match, bar.warp): what lanes that came earlier at
	 * another place gave. */
	struct lane_values joint;
};

struct barrier {
	uint32_t arrived;  /* threads */
	uint32_t expected; /* 0: all live threads of the block */
	uint32_t votes;    /* threads that brought a true predicate (bar.red) */
	uint32_t waiting;  /* parked ones among the arrived */
};

#define BARRIERS (MACHINE_CLUSTER_BARRIER + 1)

struct block {
	uint32_t id[3];
	uint64_t linear;
	struct warp *warps;
	uint32_t warp_count;
	uint32_t live_threads;
	uint32_t shared_size;
	uint32_t array_count;
	struct memory_cache
		*arrays; /* of shared memory, by offset; at least one, maybe of size 0 */
	uint8_t *shared;
	uint8_t *shared_shadow;
	struct barrier barriers[BARRIERS];
	uint32_t barriers_begun; /* bit per barrier that some threads have arrived at */
	uint32_t turns;          /* rounds over its warps that ended in loops */
	uint32_t rounds;         /* and those that ended at barriers */
	int32_t slice;           /* back edges of one turn of a warp: fewer the longer it spins */
	struct block *next;
	void *memory;                      /* warps, rows and shared memory in one block */
	void *observed[MACHINE_OBSERVERS]; /* what each observer of the launch keeps for this block
					    */
	uint32_t observed_by;              /* bits of those that were told of it */
};

/* The knowledge of stall.c about a worker that spins. */
struct stall {
	uint64_t kept;           /* hash of the state kept */
	uint64_t turns;          /* that its blocks have spun since the last look */
	uint64_t rounds, window; /* looks while it is watched, and the most there are */
	uint64_t kept_rounds, keep_for;
	bool watched;
	bool changed; /* since the state was kept: memory, or the time was asked for */
	bool stuck;   /* its state repeats */
};

#define WORKER_BUFFERS 8
#define WORKER_OBSERVERS                                                                           \
	(MACHINE_OBSERVERS + 2) /* those of the launch, stall.c's and taint.c's                    \
				 */
#define WORKER_STAGE 64

struct program_caches {
	struct ptx_program *program;
	struct memory_cache *caches;
};

struct op_handlers;

/* Run the warp from pc until NULL or the place `end` + 1, and count the steps. */
typedef const struct op *watched_run(struct warp *w, const struct op *pc, uintptr_t end,
				     uint64_t *steps);

/* The state of one host thread while it works on a launch. */
struct machine_worker {
	struct launch *launch;
	struct block *blocks; /* resident, round robin */
	uint32_t resident, resident_max;
	struct block *spare;           /* ended blocks whose memory is used again */
	uint64_t generation;           /* of the caches below */
	struct memory_cache *caches;   /* of the kernel */
	struct program_caches *others; /* of called functions */
	uint32_t other_count;
	struct machine_buffer recent[WORKER_BUFFERS];
	uint32_t recent_next;
	struct gpu_fault fault;
	uint64_t instructions;
	uint64_t counted; /* of these, see hot.h */
	struct stall stall;
	struct taint *taint;       /* NULL: nothing was ever tainted */
	uint8_t *shadow_at[LANES]; /* set by state_space_resolve(): the shadow of each lane's first
				      word, or NULL */
	struct observer *observers[WORKER_OBSERVERS]; /* called at present */
	uint32_t observer_count;
	const struct op_handlers *handlers; /* by operation number, for those who look on */
	watched_run *run_watched;           /* the loop of warp_run() while somebody looks on */
	bool steps_wanted, accesses_wanted; /* by one of them */
	uint64_t current;                   /* linear id of the block that runs */
	/* Operands of an instruction that takes several operations; nothing else runs between
	 * these. */
	_Alignas(64) uint64_t stage[WORKER_STAGE][LANES];
};

/* The state that all workers of a launch share. */
struct launch {
	const struct machine_launch *spec;
	struct ptx_program *program;
	uint32_t threads_per_block;
	uint32_t shared_size;    /* with red zones */
	uint32_t shared_counted; /* as the program counts it */
	uint32_t dynamic_offset; /* of the dynamic part of shared memory */
	uint32_t local_size;     /* bytes a lane */
	uint64_t block_count;
	_Atomic uint64_t next_block;
	_Atomic uint64_t fault_block; /* lowest block that faulted, UINT64_MAX: none */
	_Atomic uint64_t instructions;
	_Atomic int failed;              /* out of host memory */
	_Atomic uint32_t working, stuck; /* workers at work, and those whose state repeats */
	_Atomic uint64_t stuck_since;    /* seconds */
	struct gpu_fault *fault;
	struct device_launch *device_launches; /* asked for by device code, in their order */
	pthread_mutex_t *lock;                 /* of fault, device_launches and of spec->print */
	_Alignas(16) uint8_t workspace[64];    /* MACHINE_WORKSPACE */
};

static inline uint32_t lane_count(uint32_t mask)
{
	return (uint32_t)__builtin_popcount(mask);
}

static inline int first_lane(uint32_t mask)
{
	return __builtin_ctz(mask);
}

/* Take lanes as the running ones: mask and its expansion. */
void warp_set_mask(struct warp *w, uint32_t mask);
/* Put a fragment among the ready ones, merging it with one at the same place. */
void warp_ready(struct warp *w, struct fragment f);
/*
 * Lanes of the running fragment go back to the target of a branch, the others behind it. True: it
 * runs on at once; false: it is not its turn, and w->event says so.
 */
bool warp_part(struct warp *w, const struct op *branch, uint32_t back);
/*
 * The warp, all of whose lanes run, is at OP_meet. False: it waits for the warp beside it, w->event
 * says so. It waits for one turn at most, and only for one that may still come.
 */
bool warp_meet(struct warp *w, const struct op *o);
/* The warp beside it when that one waits at o, an OP_meet; it will go on at `end`. NULL: it does
 * not. */
struct warp *warp_partner(struct warp *w, const struct op *o, const struct op *end);
/* Run until the warp has nothing ready, its turn is over or it faulted. False on a fault. */
bool warp_run(struct warp *w);
/* The running fragment waits at o; w->event becomes WARP_GONE. */
const struct op *warp_park(struct warp *w, const struct op *o, enum parked_kind kind,
			   uint32_t barrier, uint32_t need);
/* Wake parked fragment i: it goes on at pc. */
void warp_wake(struct warp *w, uint32_t i, const struct op *pc);
/* Fill constant rows. blocks_only: just those that change from block to block. */
void warp_fill_constants(struct warp *w, struct frame *f, bool blocks_only);
/* The value of a special register for a lane. */
uint64_t warp_special(const struct warp *w, enum ptx_special s, uint32_t lane);
/* Leave with a fault at o for the given lanes of the running fragment; the first lane is named.
 * Returns NULL. */
const struct op *warp_fault(struct warp *w, const struct op *o, enum gpu_fault_kind kind,
			    uint32_t lanes, const char *note);

/* Fill *f with what warp_fault() tells, without a fault; and with another place of the code. */
void warp_describe(const struct warp *w, const struct op *o, enum gpu_fault_kind kind,
		   uint32_t lanes, const char *note, struct gpu_fault *f);
void warp_describe_place(const struct ptx_function *function, const struct op *o,
			 struct gpu_fault *f);

#endif
