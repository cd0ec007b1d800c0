/* SPDX-License-Identifier: Apache-2.0 */
/* Extracts the PTX from an object of nvcc. */
#ifndef CGPU_COMPILER_OBJECT_PTX_H
#define CGPU_COMPILER_OBJECT_PTX_H

#include <stddef.h>

struct error;

/* Receives each PTX text in the object; -1 with err ends the search. */
typedef int object_ptx_found(void *data, const char *ptx, size_t len, struct error *err);

/* Finds the PTX texts. Compressed ones are skipped, since compiler/device/nvcc.c requests plain
 * ones. An object without device code has none. */
int object_ptx_each(const void *object, size_t len, object_ptx_found *fn, void *data,
		    struct error *err);

#endif
