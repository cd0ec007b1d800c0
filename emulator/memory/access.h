/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes that an operation touches: the one answer for all observers. Loads and stores are told
 * by their names in ptx-opcodes.def, the others by their operands. Asked before the operation runs,
 * and answered without any effect on the launch. Not listed: parameters of calls, which lie in the
 * frame; what textures and surfaces read and write; what printf reads.
 */
#ifndef CGPU_EMULATOR_ACCESS_H
#define CGPU_EMULATOR_ACCESS_H

#include "emulator/warp/exec.h"
#include "emulator/warp/warp.h"

/* Kinds of operations for those who look on. */
enum access_family {
	ACCESS_NONE,   /* touches no memory */
	ACCESS_PREFIX, /* guard, mode: prepares the next operation */
	ACCESS_MEMORY, /* access_list() has something to say */
	ACCESS_SYNC,   /* fence, barrier, operation between lanes */
	ACCESS_BOTH,   /* touches memory, and other threads are told of it: mbarrier */
};

struct memory_step {
	enum ptx_space space; /* where the bytes are: PTX_SPACE_SHARED, _LOCAL or _GLOBAL, which
				 includes constants */
	enum gpu_access kind;
	uint32_t size; /* bytes a lane, vectors as a whole */
	uint32_t mask; /* lanes, a part of w->mask */
	bool strong; /* volatile, relaxed, atomic ...: made for memory that others touch at the same
			time */
	bool acquire, release;   /* and orders other accesses of the thread */
	uint64_t address[LANES]; /* device address; offset in the window for shared and local memory
				  */
	uint8_t *found[LANES];   /* of global memory: where the bytes are in this process */
};

/* A load or store as its name tells it. */
struct access_shape {
	uint8_t family; /* enum access_family */
	uint8_t space;  /* enum ptx_space; global also for generic addresses */
	uint8_t kind;   /* enum gpu_access */
	uint8_t size;   /* bytes of the whole vector */
	uint8_t count;  /* its elements; 0: no plain load or store */
};

/* By operation number; launches with observers fill it at their start. */
extern struct access_table {
	struct access_shape shapes[OP_COUNT];
	pthread_once_t once;
} access_table;
void access_prepare(void);

static inline enum access_family access_family(const struct op *o)
{
	return (enum access_family)access_table.shapes[o->id].family;
}

typedef void access_fn(void *data, struct warp *w, const struct op *o, const struct memory_step *s);

/*
 * Call fn for each piece of memory that o, about to run by w->mask, will touch: reads before
 * writes, one call for each state space. Nothing is called when the operation is going to fault.
 * The step lives during the call only.
 */
void access_list(struct warp *w, const struct op *o, access_fn *fn, void *data);

/*
 * The s->size bytes that a plain store is about to write for a lane; 16 at most. False: o is no
 * plain store, and what it writes is known when it has run.
 */
bool access_value(const struct warp *w, const struct op *o, uint32_t lane, uint8_t *ret);

#define ACCESS_ELEMENTS 4 /* of a vector of at most 16 bytes */

/* The registers of a plain store of at most 16 bytes, to be read when the warp has gone on. */
struct access_registers {
	uint8_t rows[ACCESS_ELEMENTS][LANES * 8];
};

/* False: as access_value(). */
bool access_registers_copy(const struct warp *w, const struct op *o, struct access_registers *ret);
/* The value that access_value() gave when they were copied. */
void access_registers_value(const struct access_registers *r, const struct op *o, uint32_t lane,
			    uint8_t *ret);

/*
 * The shape of a plain load or store that only its own thread is to see. Its addresses are row o->a
 * (32 bits when OP_ADDRESS_32) plus o->imm: so frequent that an observer may want to work them out
 * in its own way. NULL: o is something else.
 */
static inline const struct access_shape *access_shape(const struct op *o)
{
	const struct access_shape *s = &access_table.shapes[o->id];

	return s->count && !(o->flags & (OP_STRONG | OP_ACQUIRE | OP_RELEASE)) ? s : NULL;
}

/* Addresses of the matrix elements number `index` of all lanes, and the bytes of each. */
void access_matrix_element(struct warp *w, const struct op *o, unsigned index, uint64_t *address,
			   uint32_t *ret_size);

/* The bytes of a lane in this process. */
static inline uint8_t *memory_step_bytes(const struct warp *w, const struct memory_step *s,
					 uint32_t lane)
{
	if (s->space == PTX_SPACE_SHARED)
		return w->block->shared + s->address[lane];
	if (s->space == PTX_SPACE_LOCAL)
		return w->local + (uint64_t)lane * w->local_size + s->address[lane];
	return s->found[lane];
}

#endif
