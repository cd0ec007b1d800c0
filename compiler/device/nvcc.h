/* SPDX-License-Identifier: Apache-2.0 */
/* Runs NVIDIA's C++ compiler: finds it, passes texts and flags to it, and makes one object that
 * contains PTX. */
#ifndef CGPU_COMPILER_NVCC_H
#define CGPU_COMPILER_NVCC_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/buffer.h"

struct error;

struct nvcc_file {
	const char *name; /* "a.cu" and "a.cpp" are compiled; others are for their #include "..." */
	const char *text;
};

struct nvcc_request {
	const char *nvcc; /* its path */
	const struct nvcc_file *files;
	size_t n_files;
	const char *const *flags; /* the user's, up to a NULL */
	const char *prelude;      /* the folder of cgpu-legacy.h */
	unsigned sm;              /* 75 */
};

struct nvcc_answer {
	bool ok;
	struct buffer object; /* when ok */
	struct buffer log;    /* its output, warnings too */
};

/* Returns the path of nvcc, to be freed. cuda_root may be NULL. ERROR_NOT_FOUND with a hint. */
char *nvcc_find(const char *cuda_root, struct error *err);
/* Compiles. -1 only when nothing can be said about the text. */
int nvcc_compile(const struct nvcc_request *request, struct nvcc_answer *ret, struct error *err);
void nvcc_answer_release(struct nvcc_answer *a);

#endif
