/* SPDX-License-Identifier: Apache-2.0 */
/* The PTX in an object that nvcc has made. */
#ifndef CGPU_COMPILER_OBJECT_PTX_H
#define CGPU_COMPILER_OBJECT_PTX_H

#include <stddef.h>

struct error;

/* Told of each PTX text in the object; -1 with err ends it. */
typedef int object_ptx_found(void *data, const char *ptx, size_t len, struct error *err);

/* What is compressed is passed over: compiler/device/nvcc.c asks for text. An object without device
 * code has none. */
int object_ptx_each(const void *object, size_t len, object_ptx_found *fn, void *data,
		    struct error *err);

#endif
