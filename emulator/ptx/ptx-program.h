/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The decoded form of a function: one array of operations, operands bound to rows of the warp's
 * register file, branch targets as pointers into the array. This is the only thing that the machine
 * reads, and what a compiler for hot launches would start from: handlers come from ptx-opcodes.def
 * by `id`.
 *
 * Register file of a frame, byte offsets from its base:
 *
 *	0          predicates, one 32-bit lane mask each; slot 0 is the carry flag of add.cc and kin
 *	constants  rows filled once when a frame is set up: immediates, launch parameters, special
 *	           registers
 *	rows       32-bit rows (128 bytes: lane 0..31), then 64-bit rows (256 bytes)
 *
 * Registers of 8 and 16 bits live in 32-bit rows; the upper bits are undefined and every reader
 * cuts them off. Virtual registers share rows when their live ranges do not meet (ptx-allocate.c).
 */
#ifndef CGPU_EMULATOR_PTX_PROGRAM_H
#define CGPU_EMULATOR_PTX_PROGRAM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "emulator/ptx/machine-limits.h"
#include "emulator/ptx/ptx-module.h"

#define LANES MACHINE_LANES
#define ALL_LANES 0xffffffffu

struct op;
struct warp;
struct hot;

/* Executes one operation; the next one, or NULL when the warp must look at w->event. */
typedef const struct op *op_handler(struct warp *w, const struct op *o);

/* Handlers of an operation: all 32 lanes active, or the lanes of w->mask. */
struct op_handlers {
	op_handler *full, *masked;
};

struct op {
	op_handler *full;    /* all 32 lanes active */
	op_handler *masked;  /* the lanes of w->mask */
	uint32_t d, a, b, c; /* byte offsets in the register file */
	uint32_t x[3];       /* more operands: elements of vectors, second destinations */
	uint16_t id;         /* enum ptx_op */
	uint16_t flags;      /* of the operation's own kind, see ptx-ops.h */
	union {
		int64_t imm;
		const struct op *target;
		const struct ptx_call *call;
	};
	uint32_t cache;  /* index of the translation cache in the frame */
	uint32_t source; /* index of the PTX instruction */
};

enum ptx_constant_kind {
	PTX_CONSTANT_VALUE,          /* value */
	PTX_CONSTANT_PARAM,          /* value: offset in the launch parameters; load */
	PTX_CONSTANT_SPECIAL,        /* value: enum ptx_special */
	PTX_CONSTANT_DYNAMIC_SHARED, /* start of the dynamic part of shared memory, + value */
	PTX_CONSTANT_LOCAL,          /* offset of the frame's local variables, + value */
};

/* How a parameter is widened to its row. */
enum ptx_load { PTX_LOAD_U8, PTX_LOAD_S8, PTX_LOAD_U16, PTX_LOAD_S16, PTX_LOAD_32, PTX_LOAD_64 };

/* Special registers that are constant for a lane while its block runs. */
enum ptx_special {
	PTX_SPECIAL_TID_X,
	PTX_SPECIAL_TID_Y,
	PTX_SPECIAL_TID_Z,
	PTX_SPECIAL_NTID_X,
	PTX_SPECIAL_NTID_Y,
	PTX_SPECIAL_NTID_Z,
	PTX_SPECIAL_CTAID_X,
	PTX_SPECIAL_CTAID_Y,
	PTX_SPECIAL_CTAID_Z,
	PTX_SPECIAL_NCTAID_X,
	PTX_SPECIAL_NCTAID_Y,
	PTX_SPECIAL_NCTAID_Z,
	PTX_SPECIAL_LANEID,
	PTX_SPECIAL_WARPID,
	PTX_SPECIAL_NWARPID,
	PTX_SPECIAL_LANEMASK_EQ,
	PTX_SPECIAL_LANEMASK_LE,
	PTX_SPECIAL_LANEMASK_LT,
	PTX_SPECIAL_LANEMASK_GE,
	PTX_SPECIAL_LANEMASK_GT,
	PTX_SPECIAL_SMID,
	PTX_SPECIAL_NSMID,
	PTX_SPECIAL_GRIDID,
	PTX_SPECIAL_ENVREG1,
	PTX_SPECIAL_ENVREG2,
	PTX_SPECIAL_DYNAMIC_SMEM_SIZE,
	PTX_SPECIAL_TOTAL_SMEM_SIZE,
	PTX_SPECIAL_ZERO,
	PTX_SPECIAL_ONE,
};

struct ptx_constant {
	uint8_t kind;
	uint8_t load;
	bool wide;      /* a 64-bit row */
	bool per_block; /* must be filled again for every block */
	uint32_t row;
	uint64_t value;
};

/* Special registers of which each lane has its own; all other constants are the same for a warp. */
static inline bool ptx_constant_by_lane(const struct ptx_constant *c)
{
	return c->kind == PTX_CONSTANT_SPECIAL &&
	       (c->value <= PTX_SPECIAL_TID_Z || c->value == PTX_SPECIAL_LANEID ||
		(c->value >= PTX_SPECIAL_LANEMASK_EQ && c->value <= PTX_SPECIAL_LANEMASK_GT));
}

/* One call site. Offsets are in the parameter area of the caller and of the callee. */
struct ptx_call_argument {
	uint32_t offset, size;
};

struct ptx_call {
	struct ptx_function *callee; /* NULL: indirect, address in row `a` of the operation */
	const char *name;
	uint32_t argument_count, return_count;
	const struct ptx_call_argument *arguments, *returns;
};

struct ptx_program {
	struct ptx_function *function;
	struct op *ops;
	uint32_t op_count;
	struct ptx_constant *constants; /* those that change from block to block first */
	uint32_t constant_count, block_constant_count;
	uint32_t frame_bytes;
	uint32_t cache_count;
	uint32_t param_area; /* bytes a lane; 0 for kernels without calls */
	uint32_t local_bytes;
	bool calls; /* needs stack beyond its own local variables */
	struct ptx_call_argument *formals,
		*returns; /* of the function itself, in its parameter area */
	uint32_t formal_count, return_count;
	void *memory;          /* ops, constants and calls */
	_Atomic uint64_t heat; /* operations that warps have executed, see emulator/hot/hot.h */
	struct hot *hot;       /* its compiled form */
};

void ptx_program_free(struct ptx_program *p);

#endif
