/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is said otherwise in device code of a C++ cell, where clang has found something that it does not take: the tokens tell how
 * far it goes. Each returns whether it has added edits; of one place once.
 */
#ifndef CGPU_COMPILER_DEVICE_EDITS_H
#define CGPU_COMPILER_DEVICE_EDITS_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler/token.h"
#include "compiler/unit-text.h"

/* A launch; at: a byte of its kernel's name, or of what stands in front of that. */
bool device_edit_launch(const struct token_list *l, uint32_t at, struct edit_list *edits);

#endif
