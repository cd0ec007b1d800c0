/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether this thread runs a cell's code: then malloc() gives session memory. Inside the driver,
 * the CUDA libraries and our own services (`library` > 0) it does not, so that a rollback never
 * touches their state.
 */
#ifndef CGPU_RUNTIME_PROCESS_CELL_MODE_H
#define CGPU_RUNTIME_PROCESS_CELL_MODE_H

#include <stdbool.h>

struct cell_mode {
	bool in_cell;
	unsigned library;   /* nesting */
	const void *caller; /* return address of the last call of malloc() or its kin */
};

extern __thread struct cell_mode cell_mode __attribute__((tls_model("initial-exec")));

static inline bool cell_mode_active(void)
{
	return cell_mode.in_cell && !cell_mode.library;
}

static inline void cell_mode_enter_library(void)
{
	cell_mode.library++;
}

static inline void cell_mode_leave_library(void)
{
	cell_mode.library--;
}

#endif
