/* SPDX-License-Identifier: Apache-2.0 */
/* Classes of PTX instructions, by their words (PTX ISA 9.7). */
#ifndef CGPU_EMULATOR_INSTRUCTION_H
#define CGPU_EMULATOR_INSTRUCTION_H

#include <stddef.h>
#include <stdint.h>

#include "common/protocol/launch-profile.h"

/* form: "ld.global.v4.f32", len bytes. */
enum instruction_class instruction_class_of(const char *form, size_t len);
/* Floating-point operations: of each active lane, and of a warp together (matrices). */
struct instruction_flops {
	uint32_t lane, warp;
};
struct instruction_flops instruction_flops_of(const char *form, size_t len);

#endif
