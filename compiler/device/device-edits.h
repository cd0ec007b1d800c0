/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is said otherwise in device code of a C++ cell, where clang has found something that it does
 * not take: the tokens tell how far it goes. Each returns whether it has added edits; of one place
 * once.
 */
#ifndef CGPU_COMPILER_DEVICE_EDITS_H
#define CGPU_COMPILER_DEVICE_EDITS_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler/text/token.h"
#include "compiler/text/unit-text.h"

struct mem_pool;

/* A launch; at: a byte of its kernel's name, or of what stands in front of that. */
bool device_edit_launch(const struct token_list *l, uint32_t at, struct edit_list *edits);

/*
 * `__shared__ T a, b[4];` of a class with a constructor, which is not called; at: the first byte of
 * the name of a variable. Each becomes a reference to a room of its size (cgpu_room in
 * prelude/cgpu-device.h).
 */
bool device_edit_shared(const struct token_list *l, uint32_t at, struct mem_pool *pool,
			struct edit_list *edits);

#endif
