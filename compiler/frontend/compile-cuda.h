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

bool compile_cuda_is(const char *text);
/* Does what compiler_compile() does. */
int compile_cuda(struct compiler *c, const struct compile_request *request,
		 struct compile_result *ret, struct error *err);

#endif
