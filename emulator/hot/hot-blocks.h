/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program cut into what is compiled at a time. A block is a run of operations that nothing enters
 * but at its first one: fragments wait, meet and change places only between blocks, so w->limit
 * never falls inside one. A loop that may be left in its middle is one block: w->limit may be
 * behind the branch there, where another block begins.
 */
#ifndef CGPU_EMULATOR_HOT_BLOCKS_H
#define CGPU_EMULATOR_HOT_BLOCKS_H

#include "emulator/hot/hot-compiler.h"
#include "emulator/hot/hot-library.h"

struct hot_block {
	uint32_t first, end; /* operations first..end-1 */
	uint32_t depth;      /* loops around it */
	bool loops;          /* ends with a branch back to its own start */
	bool meets; /* stands behind OP_meet and is nothing but arithmetic: two warps may run it
		       side by side */
	bool made;  /* could be compiled */
};

struct hot_blocks {
	struct hot_block *list; /* innermost first */
	uint32_t count;
};

/* How an operation is compiled. */
enum hot_way {
	WAY_NATIVE, /* a piece, or built by hot-block.c */
	WAY_MEMORY, /* hot-memory.c makes it, or its handler is called */
	WAY_CALL,   /* its handler is called */
	WAY_LAST,   /* the same, and the block ends behind it */
	WAY_BRANCH, /* the block ends with it */
	WAY_OUT,    /* the block ends before it */
};

enum hot_way hot_way(const struct hot_meaning *meanings, const struct op *o);
/* Operations that one step of the machine executes: two where one runs the next. */
uint32_t hot_width(const struct op *o);

/* Blocks that are worth it. -1: out of memory. */
int hot_blocks_init(struct hot_blocks *b, const struct hot_program *p,
		    const struct hot_meaning *meanings);
void hot_blocks_release(struct hot_blocks *b);

#endif
