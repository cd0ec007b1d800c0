/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fat binaries: the container in which nvcc puts the code of one file for several targets. Its layout is not
 * documented; what is read here was found in files that nvcc 13 writes.
 *
 *	wrapper  u32 magic 0x466243b1, u32 version, pointer to the header: in a program's data
 *	header   u32 magic 0xba55ed50, u16 version, u16 bytes of header, u64 bytes of all images
 *	image    u16 kind (1 PTX, 2 cubin), u16 version, u32 bytes of image header, u64 bytes of payload, at 16 u32
 *	         compressed bytes, at 28 u32 target (75 for compute_75), at 40 u64 flags, at 56 u64 bytes unpacked
 *
 * A payload is plain, LZ4 (nvcc 12, or --compress-mode speed) or zstd (nvcc 13).
 */
#ifndef CGPU_EMULATOR_FATBIN_H
#define CGPU_EMULATOR_FATBIN_H

#include <stdbool.h>
#include <stddef.h>

struct buffer;
struct error;

/* Is this a fat binary or the wrapper of one? */
bool fatbin_is(const void *image);

/* Is the fat binary that these `len` bytes of a file begin with whole? A wrapper is not: it holds a pointer. */
bool fatbin_is_whole(const void *image, size_t len);

/*
 * The PTX text for a device of compute capability `target` (75): of the newest target up to it, else of the oldest
 * beyond it. ERROR_NOT_FOUND when there is machine code only, ERROR_UNSUPPORTED for a container of another layout.
 */
int fatbin_ptx(const void *image, unsigned target, struct buffer *ret, struct error *err);

#endif
