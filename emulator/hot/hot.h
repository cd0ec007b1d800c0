/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When a program is worth compiling, and who does it: operations that warps execute are counted for
 * each program, over all its launches; one that has had enough of them is handed to a thread, which
 * loads the compiler (emulator/hot/) the first time, and puts compiled blocks in the place of
 * handlers while launches run. Without the plug-in, out of memory or in the child of a fork,
 * everything goes on being interpreted.
 */
#ifndef CGPU_EMULATOR_HOT_H
#define CGPU_EMULATOR_HOT_H

#include <stdint.h>

struct error;
struct ptx_program;
struct machine_worker;

/* Operations of warps after which a program is compiled: about as long as loading LLVM and
 * compiling take. */
#define HOT_STEPS (16u << 20)
/* Operations after which a worker says what it has executed. */
#define HOT_STRIDE (1u << 18)

/* Count what the worker has executed since it was last counted. */
void hot_count(struct machine_worker *k);

/* Compile at once, in this thread: for tests. Returns how many blocks are compiled, -1 without the
 * plug-in. */
int hot_compile(struct ptx_program *p, struct error *err);

/* The program goes away; no launch runs in it. */
void hot_forget(struct ptx_program *p);

#endif
