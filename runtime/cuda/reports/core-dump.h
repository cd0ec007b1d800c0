/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a GPU core dump says about a fault: which kernel, which thread, which line. The dump is the
 * file that a CUDA driver writes when it is asked to by cuCoredumpSetAttribute(); core-dump.def has
 * what is read of it.
 */
#ifndef CGPU_RUNTIME_CUDA_REPORTS_CORE_DUMP_H
#define CGPU_RUNTIME_CUDA_REPORTS_CORE_DUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/cuda/reports/cubin-lines.h"

struct error;

#define CORE_DUMP_ASSERT 12 /* of device-exceptions.def */

struct core_dump {
	uint32_t exception;       /* device-exceptions.def; 0: it is not told */
	struct cubin_place place; /* kernel "": it is not known */
	uint32_t n_threads;       /* of the warp that have faulted; 0: no thread is told */
	uint32_t block[3], first[3],
		last[3];  /* of these threads; the hardware tells no single one of a warp */
	uint32_t n_warps; /* that have faulted in all */
};

/*
 * ERROR_INPUT: it is no dump, is cut short or contradicts itself; ERROR_NOT_FOUND: nothing in it
 * has faulted. The bytes may be anything.
 */
int core_dump_read(const void *data, size_t len, struct core_dump *ret, struct error *err);

/* "Warp Illegal Address"; NULL for a number that is not known. */
const char *core_dump_exception_name(uint32_t exception);

#endif
