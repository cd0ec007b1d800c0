/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses the arguments of %%cuda: flags for nvcc, arguments of the program, and options of
 * nvcc4jupyter. Options about the architecture and the output are dropped, since cgpu chooses
 * these; the options of the kernel (-t, -p) are skipped.
 */
#ifndef CGPU_COMPILER_CUDA_FLAGS_H
#define CGPU_COMPILER_CUDA_FLAGS_H

#include <stddef.h>

struct mem_pool;

#define CUDA_FLAGS_MAX 100

struct cuda_flags {
	const char *nvcc[CUDA_FLAGS_MAX +
			 1]; /* up to a NULL; these words, and those below, are in the pool */
	size_t n_nvcc;
	const char *arguments[CUDA_FLAGS_MAX + 1]; /* --run-args "..." */
	size_t n_arguments;
};

/* Fills a zeroed struct. Words beyond the limit are left out. */
void cuda_flags_read(struct cuda_flags *f, const char *line, struct mem_pool *pool);

#endif
