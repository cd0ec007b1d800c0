/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The function that is being made, and the rows of the register file as values in it. A row is
 * loaded when it is first read and stored when somebody else must see it. Lanes that are switched
 * off compute along with the others, since no lane sees another's values; only what is stored is
 * blended with what was there.
 *
 * A result of an f32 operation stays raw, its NaNs as the processor leaves them, as long as only
 * f32 operations read it; its bits are made canonical where they are seen.
 */
#ifndef CGPU_EMULATOR_HOT_ROWS_H
#define CGPU_EMULATOR_HOT_ROWS_H

#include "emulator/hot/hot-compiler.h"
#include "emulator/hot/hot-library.h"

#define HOT_ELEMENTS 4 /* of a vector in memory, at most */

struct hot_value {
	LLVMValueRef llvm; /* NULL: in memory only */
	bool raw;
	bool loose; /* raw, or whatever the row held before a loop */
};

struct hot_row {
	uint32_t offset;
	enum hot_type type; /* TYPE_NARROW, TYPE_WIDE or TYPE_PREDICATE */
	struct hot_value value;
	bool dirty; /* memory has an older value */
	/* In loops. */
	LLVMValueRef phi;
	bool written;
	bool ends_raw; /* a round leaves it raw */
};

struct hot_build {
	const struct hot_program *program;
	const struct hot_meaning *meanings;
	LLVMModuleRef library, module;
	LLVMContextRef context;
	LLVMBuilderRef builder;
	LLVMTypeRef i1, i32, i64, pointer, narrow, wide, floats, doubles, bits;
	LLVMTypeRef handler; /* function type */
	LLVMValueRef function, warp, base;
	LLVMValueRef parts;    /* the function for parts of a warp */
	LLVMValueRef mask;     /* i32; NULL: all lanes run */
	LLVMValueRef lanes;    /* the same as bits */
	LLVMValueRef guard;    /* bits that the operation is for; NULL: all */
	LLVMValueRef executed; /* operations of earlier rounds, i64; NULL: none */
	LLVMValueRef scratch;  /* room for offsets of all lanes and HOT_ELEMENTS rows */
	uint32_t done;         /* operations before this one in the block */
	uint32_t
		steps; /* of these, as the interpreter counts: a guard and what it guards are one */
	struct hot_row *rows;
	uint32_t count, capacity;
	bool failed;   /* a row of two widths */
	bool memory;   /* loads and stores become code */
	bool keep_raw; /* rows may go round a loop raw */
	bool spoiled;  /* and one did whose bits were seen: it may have held no number before the
			  loop */
};

LLVMValueRef hot_const32(const struct hot_build *b, uint32_t v);
LLVMValueRef hot_const_pointer(const struct hot_build *b, const void *at);
/* The field `offset` bytes into what p points to. */
LLVMValueRef hot_field(const struct hot_build *b, LLVMValueRef p, uint64_t offset);

LLVMValueRef hot_call_intrinsic(const struct hot_build *b, const char *name, LLVMTypeRef type,
				LLVMValueRef *args, unsigned count);

/* A conditional branch hardly ever goes to its second target. */
void hot_mark_likely(const struct hot_build *b, LLVMValueRef branch);

/* x for the lanes that are set, y for the others. */
LLVMValueRef hot_choose(const struct hot_build *b, LLVMValueRef set, LLVMValueRef x,
			LLVMValueRef y);

/* The row at an offset; type as in the table of operations. */
struct hot_row *hot_rows_find(struct hot_build *b, uint32_t offset, enum hot_type type);
/* Its value as an operation of result type `reader` reads it: 32 lanes of i32, i64, float or
 * double, or an i32. */
LLVMValueRef hot_rows_read(struct hot_build *b, uint32_t offset, enum hot_type type,
			   enum hot_type reader);
/* A value that only moves: raw stays raw. */
struct hot_value hot_rows_peek(struct hot_build *b, uint32_t offset, enum hot_type type);
void hot_rows_make_canonical(struct hot_build *b, struct hot_value *v);
/* Under b->guard when there is one. */
void hot_rows_write(struct hot_build *b, uint32_t offset, enum hot_type type,
		    struct hot_value value);
/* Memory gets all values; they stay known. */
void hot_rows_flush(struct hot_build *b);
/* The same where the code will meet code that has not been there: what is known of the rows stays
 * as it is. */
void hot_rows_flush_aside(struct hot_build *b);
/* Store one row, dirty or not. */
void hot_rows_store_aside(struct hot_build *b, struct hot_row *r);
void hot_rows_store(struct hot_build *b, struct hot_row *r);
/* Rows that a called handler may have changed are read again. */
void hot_rows_forget(struct hot_build *b, const struct op *o);
/* Load what is not known yet. */
void hot_rows_load(struct hot_build *b, struct hot_row *r);

#endif
