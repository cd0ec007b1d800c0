/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plan of a launch says which accesses need not be watched. It is made before the launch runs;
 * private to race*.c. Shared memory need not be watched from a barrier up to the next one when it
 * is not written in between (race-ahead.c). What follows is about global memory.
 *
 * An access cannot race when nobody writes to its buffer, or when all that is done to the buffer is
 * done by addresses that no two threads of the launch share. Which buffers are written follows from
 * the text: from the parameters that the addresses of stores are made of. That is a guess as long
 * as it is not seen where accesses go, so the machine tells when an operation leaves the buffer
 * that it was in (observer.h, placed), and each write that is watched is looked at. As long as the
 * guess holds, nothing is lost by it. Where it does not, all is watched from then on, and the race
 * check says that it has not seen everything.
 */
#ifndef CGPU_EMULATOR_RACE_PLAN_H
#define CGPU_EMULATOR_RACE_PLAN_H

#include "emulator/memory/access.h"

#define RACE_PLAN_BUFFERS 32

enum race_watch {
	RACE_WATCH,
	RACE_FREE_READ,
	RACE_FREE_WRITE,
};

struct race_plan_buffer {
	uint64_t address, size;
};

struct race_plan {
	_Atomic uint8_t
		*watch; /* enum race_watch by the cache of an operation; NULL: there is no plan */
	uint32_t *expected; /* the same: bits of buffers that its addresses may be made of */
	struct race_plan_buffer buffers[RACE_PLAN_BUFFERS];
	uint32_t count, caches;
	uint32_t written; /* bits of buffers: some operation may write there */
	uint32_t apart;   /* of these: threads keep to their own parts */
	const struct ptx_program *program;
	uint8_t *ahead; /* by its operations: shared memory may be written before the next barrier;
			   NULL: not known */
	_Atomic bool strayed; /* a write has gone where none was expected, or somebody to where
				 threads keep apart */
};

/* race-ahead.c; malloc-ed. NULL: out of memory. */
uint8_t *race_ahead(const struct ptx_program *p);

/* Make the plan of this launch; without memory there is none. */
void race_plan_init(struct race_plan *p, const struct machine_launch *l);
void race_plan_release(struct race_plan *p);

static inline enum race_watch race_plan_of(const struct race_plan *p, const struct op *o)
{
	return p->watch ? (enum race_watch)atomic_load_explicit(&p->watch[o->cache],
								memory_order_relaxed)
			: RACE_WATCH;
}

/*
 * Global addresses of an operation that is not watched: true when it need not be, here neither.
 * Else it is watched from now on, and this access is to be looked at.
 */
bool race_plan_allows(struct race_plan *p, const struct op *o, const struct memory_step *s);
/* An operation that is watched touches the address. */
void race_plan_check(struct race_plan *p, const struct op *o, uint64_t address, bool writes);

#endif
