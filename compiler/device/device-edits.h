/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edits of device code in a C++ cell, for constructs that clang refuses: the tokens tell how far a
 * construct extends. Each function returns whether it has added edits; a place is edited once.
 */
#ifndef CGPU_COMPILER_DEVICE_EDITS_H
#define CGPU_COMPILER_DEVICE_EDITS_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler/text/token.h"
#include "compiler/text/unit-text.h"

struct mem_pool;

/* Edits a launch; at: a byte of its kernel's name, or of what precedes that. */
bool device_edit_launch(const struct token_list *l, uint32_t at, struct edit_list *edits);

/*
 * Edits `__shared__ T a, b[4];` for a class with a constructor, which is not called; at: the first
 * byte of the name of a variable. Each variable becomes a reference to memory of its size
 * (cgpu_room in prelude/cgpu-device.h).
 */
bool device_edit_shared(const struct token_list *l, uint32_t at, struct mem_pool *pool,
			struct edit_list *edits);

#endif
