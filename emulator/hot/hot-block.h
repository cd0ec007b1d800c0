/* SPDX-License-Identifier: Apache-2.0 */
/* One block of a program as a function of LLVM with the signature of a handler. */
#ifndef CGPU_EMULATOR_HOT_BLOCK_H
#define CGPU_EMULATOR_HOT_BLOCK_H

#include "emulator/hot/hot-blocks.h"
#include "emulator/hot/hot-rows.h"

/* The state that all blocks of a module share. */
void hot_build_init(struct hot_build *b, LLVMContextRef context, LLVMModuleRef library,
		    LLVMModuleRef module, const struct hot_program *p,
		    const struct hot_meaning *meanings);
void hot_build_release(struct hot_build *b);

/*
 * Make the two functions of a block, `full` for all lanes and `masked` for those of w->mask. False:
 * it cannot be compiled.
 */
bool hot_block_build(struct hot_build *b, const struct hot_block *block, const char *full,
		     const char *masked);

/*
 * Call the operation's handler, with rows in memory. Where it does not go on behind the operation,
 * the function ends; the builder stands where it does.
 */
void hot_block_call(struct hot_build *b, const struct op *o);

/* Tell LLVM the processor that all functions of a module are compiled for. */
void hot_block_attributes(const struct hot_build *b, LLVMValueRef function);

#endif
