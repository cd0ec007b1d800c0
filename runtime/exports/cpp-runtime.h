/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The C++ library in the worker, which itself is C: loaded by the zygote, so that it lies at one
 * address in every worker, and reached by name. Where it is missing, C++ cells cannot be linked and
 * all else works.
 */
#ifndef CGPU_RUNTIME_EXPORTS_CPP_RUNTIME_H
#define CGPU_RUNTIME_EXPORTS_CPP_RUNTIME_H

#include <stdbool.h>

/* In the zygote, once, when the streams of cells are there: load libstdc++, bind std::cout and its
 * like to them, and have std::terminate() end the cell with a fault. */
void cpp_runtime_load(void);

/* For units, in place of the library's: */
_Noreturn void cpp_runtime_pure_virtual(void);
/* std::ios_base::sync_with_stdio(): std::cout and printf() stay in step, so that output comes in
 * order. */
bool cpp_runtime_sync_with_stdio(bool sync);

#endif
