/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Libraries whose blocks are libc's, also when a cell calls them: CUDA's (cuda-libraries.def). What
 * they allocate belongs to handles, which go with the process; as session memory it would be lost
 * in each recovery, and cuBLAS alone has 28 MB of it.
 */
#ifndef CGPU_RUNTIME_PROCESS_LIBRARY_HEAP_H
#define CGPU_RUNTIME_PROCESS_LIBRARY_HEAP_H

#include <stdbool.h>
#include <stdint.h>

#define LIBRARY_HEAP_IMAGES_MAX 32

/* Where the code of each of them lies. */
struct library_heap {
	struct library_image {
		uintptr_t start, end;
	} images[LIBRARY_HEAP_IMAGES_MAX];
	unsigned n;
};

/* Look for them among the loaded libraries, for worker.library_heap. In the zygote, after each
 * library that it loads. */
void library_heap_find(void);

/* Is this return address in one of them? For malloc(): no locks, no memory. */
bool library_heap_has(const void *caller);

#endif
