/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CUDA side of a cell: the text that NVRTC compiles, the stubs that stand for its entries in C, and what later
 * device code sees of it.
 */
#ifndef CGPU_COMPILER_DEVICE_TEXT_H
#define CGPU_COMPILER_DEVICE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Does `<name>` or `"name"` belong to device code alone (C++ headers of the toolkit)? */
bool device_text_is_include(const char *rest, size_t len);

#endif
