/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Between the machine and the compiler for hot code, which is a plug-in of its own: only work that
 * is worth it loads LLVM, and without the plug-in everything is interpreted. The plug-in exports
 * one object, `hot_compiler`.
 *
 * Compiled code is a handler like any other (ptx-program.h): it runs a whole block of operations
 * and returns the next one, or NULL with w->event set. What it does not do itself it leaves to the
 * handlers of the single operations, with all registers in their rows, so a fault is that of the
 * interpreter.
 */
#ifndef CGPU_EMULATOR_HOT_COMPILER_H
#define CGPU_EMULATOR_HOT_COMPILER_H

#include <stdbool.h>
#include <stdint.h>

#include "emulator/ptx/ptx-program.h"

struct op_handlers;
struct hot_code;

/* A program as the compiler sees it: copies, so that it may be freed meanwhile. */
struct hot_program {
	const struct op *ops;   /* contents */
	const struct op *place; /* where the machine has them; never read */
	const uint8_t *targets; /* by operation: a jump gets there */
	uint32_t op_count;
	const struct ptx_constant *constants;
	uint32_t constant_count;
	const struct op_handlers *handlers; /* of the interpreter, by operation */
	bool (*part)(struct warp *w, const struct op *branch, uint32_t back); /* warp_part() */
	struct warp *(*partner)(struct warp *w, const struct op *o,
				const struct op *end); /* warp_partner() */
	const char *core;                              /* core_name() */
};

/* Operation `op` begins a block that is compiled. False: nobody wants the program any more. */
typedef bool hot_publish(void *data, uint32_t op, op_handler *full, op_handler *masked);

struct hot_compiler {
	/*
	 * Compile all blocks, innermost loops first, and hand each out as soon as it is there.
	 * NULL: there is nothing to compile, or the process ends.
	 */
	struct hot_code *(*compile)(const struct hot_program *p, hot_publish *publish, void *data);
	void (*free)(struct hot_code *code);
};

#define HOT_COMPILER_SYMBOL "hot_compiler"
extern const struct hot_compiler hot_compiler;

#endif
