/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CUDA driver as one struct of functions, filled from libcuda.so.1 or from libcgpu-emulator.so,
 * which export the same symbols; driver_trace() wraps either. Nothing else of the runtime calls a
 * driver.
 */
#ifndef CGPU_RUNTIME_CUDA_DRIVER_DRIVER_H
#define CGPU_RUNTIME_CUDA_DRIVER_DRIVER_H

#include <stdbool.h>

#include <cuda.h>

#include "common/cuda/emulator-extension.h"

struct error;

struct cuda_driver {
	const char *library;                        /* path that was opened */
	void *handle;                               /* of dlopen() */
	const struct emulator_extension *extension; /* NULL: a real device */
#define DRIVER(name, parameters, arguments) CUresult(*name) parameters;
#include "runtime/cuda/driver/driver.def"
#undef DRIVER
	/* NULL: it has none. Not traced. */
	CUresult (*cuCoredumpSetAttributeGlobal)(CUcoredumpSettings attribute, void *value,
						 size_t *size);
};

/*
 * ERROR_NOT_FOUND names the library that is missing or the function that it lacks; ret has those
 * that it has, and NULL for the others. The library stays loaded.
 */
int driver_open(const char *path, struct cuda_driver *ret, struct error *err);

/* A driver that logs each call and its result (CGPU_LOG=debug) and passes it to `inner`, which must
 * stay. */
const struct cuda_driver *driver_trace(const struct cuda_driver *inner);

#endif
