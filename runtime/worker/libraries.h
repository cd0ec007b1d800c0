/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared libraries of the session, loaded by the zygote, so that every worker has them at the same
 * address. What a library keeps in its own variables is no part of the session: a worker that takes
 * over finds it as it was when it was loaded.
 */
#ifndef CGPU_RUNTIME_WORKER_LIBRARIES_H
#define CGPU_RUNTIME_WORKER_LIBRARIES_H

#include <stdint.h>

struct error;

struct library_place {
	uint64_t base;
	char build_id[64]; /* hexadecimal, "" if it has none */
};

/* ERROR_NOT_FOUND with the loader's words. */
int libraries_load(const char *path, struct library_place *ret, struct error *err);

#endif
