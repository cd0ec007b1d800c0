/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiles a cell whose first line of code is `%%cuda FLAGS`: a whole CUDA C++ program or library,
 * by nvcc. Its constructors register the device code, so the unit carries none. If it has main(),
 * that is run.
 */
#ifndef CGPU_COMPILER_COMPILE_CUDA_H
#define CGPU_COMPILER_COMPILE_CUDA_H

#include <stdbool.h>

struct compile_request;
struct compile_result;
struct compiler;
struct error;
struct mem_pool;

bool compile_cuda_is(const char *text);
/* Returns a copy of the cell with the line of the magic blanked, which is a cell of C++; in the
 * pool, NULL when memory is out. */
char *compile_cuda_as_cpp(const char *text, struct mem_pool *pool);
/* Does what compiler_compile() does. */
int compile_cuda(struct compiler *c, const struct compile_request *request,
		 struct compile_result *ret, struct error *err);

#endif
