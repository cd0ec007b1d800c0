/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loads and stores of full warps in compiled code. What is common goes without a call: all lanes of
 * a half of the warp follow each other or read one place, or lanes are moved one by one, in bounds
 * of the buffer that the operation touched last, aligned, and written before. For all else the
 * operation's handler is called, with all rows in memory, so faults and reports are the
 * interpreter's.
 */
#ifndef CGPU_EMULATOR_HOT_MEMORY_H
#define CGPU_EMULATOR_HOT_MEMORY_H

#include "emulator/hot/hot-block.h"

/* The operation can be made here; else its handler is called. */
bool hot_memory_knows(const struct hot_meaning *meanings, const struct op *o);
/* Rows that the operation reads and writes become known before a loop. */
void hot_memory_note(struct hot_build *b, const struct op *o);
/* Make it where the builder stands. */
void hot_memory_emit(struct hot_build *b, const struct op *o);

#endif
