/* SPDX-License-Identifier: Apache-2.0 */
/* The PTX of a fat binary as text, whichever way nvcc has packed it. */
#ifndef CGPU_EMULATOR_FAT_BINARY_TEXT_H
#define CGPU_EMULATOR_FAT_BINARY_TEXT_H

struct buffer;
struct error;

/*
 * That for a device of compute capability `target` (75): of the newest target up to it, else of the
 * oldest beyond it. ERROR_NOT_FOUND when there is machine code only, ERROR_UNSUPPORTED for a
 * damaged container or one of another layout.
 */
int fat_binary_text(const void *image, unsigned target, struct buffer *ret, struct error *err);

#endif
