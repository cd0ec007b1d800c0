/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The code of a function as a debugger sees it: where lines of source begin, and at which
 * operations breakpoints stand.
 */
#ifndef CGPU_EMULATOR_DEBUG_CODE_H
#define CGPU_EMULATOR_DEBUG_CODE_H

#include "common/cuda/device-stop.h"
#include "emulator/ptx/ptx-program.h"

/* Where a PTX instruction comes from; of inlined calls the innermost. */
struct debug_place {
	uint32_t line;
	uint32_t file;    /* its number in the module */
	uint32_t part;    /* in debug_code.parts */
	uint32_t inlined; /* calls around it that are no calls any more */
	bool code;        /* it does what the line says: not so where a function sets itself up */
	bool cell;        /* the file is a cell's */
};

/* The function itself, or one that is inlined at a place of it, as far as it is of one file. */
struct debug_part {
	uint32_t file;
	uint32_t function; /* as in struct ptx_location */
	uint32_t at_file, at_line, at_column;
	uint32_t run;             /* of code that must be another function's; 0: none */
	uint32_t least, greatest; /* lines */
};

struct debug_code {
	struct debug_code *next;
	const struct ptx_program *program;
	struct debug_place *places; /* of instructions */
	struct debug_part *parts;
	uint32_t n_parts;
	bool *stops; /* of operations */
};

/* NULL: out of memory. */
struct debug_code *debug_code_new(const struct ptx_program *p);
void debug_code_free(struct debug_code *c);

/*
 * Takes these breakpoints in place of the earlier ones. One stands in each part of the code whose
 * lines it lies among: at the first operation of its line, or of the next line that has any.
 */
void debug_code_set(struct debug_code *c, const struct device_debugger *d);

/* NULL: nobody knows where it comes from. */
const struct debug_place *debug_code_place(const struct debug_code *c, const struct op *o);

/* The module has lines of that file; of a cell's file, when it is NULL. */
bool debug_code_has_file(const struct ptx_module *m, const char *file);

#endif
