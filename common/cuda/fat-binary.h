/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fat binaries: the container in which nvcc puts the code of one file for several targets. Its
 * layout is not documented; what is read here was found in files that nvcc 12 and 13 write.
 *
 *	wrapper  u32 magic 0x466243b1, u32 version, pointer to the header, in version 2 pointer to a
 *	         list of headers with NULL at its end, the parts that are to be linked: in a
 *	         program's data
 *	header   u32 magic 0xba55ed50, u16 version, u16 bytes of header, u64 bytes of all images
 *	image    u16 kind (1 PTX, 2 cubin), u16 version, u32 bytes of image header, u64 bytes of
 *	         payload, at 16 u32 compressed bytes (0: plain), at 28 u32 target (75 for
 *	         compute_75), at 40 u64 flags, at 56 u64 bytes unpacked
 *
 * A payload is plain, LZ4 (nvcc 12, or --compress-mode speed) or zstd (nvcc 13). It is found here;
 * unpacking it is left to those who may use these libraries.
 */
#ifndef CGPU_COMMON_CUDA_FAT_BINARY_H
#define CGPU_COMMON_CUDA_FAT_BINARY_H

#include <stdbool.h>
#include <stddef.h>

struct error;

enum fat_binary_packing {
	FAT_BINARY_PLAIN,
	FAT_BINARY_LZ4,
	FAT_BINARY_ZSTD,
};

/* The kinds of PTX that the caller accepts. */
enum fat_binary_wish {
	FAT_BINARY_PACKED = 1, /* the caller can unpack */
	FAT_BINARY_NEWER =
		2, /* PTX for a target newer than the device, when there is none up to it */
};

/* PTX in the container, from which it is borrowed. */
struct fat_binary_ptx {
	const char *payload;
	size_t len;          /* of the payload; for a plain one without padding */
	size_t unpacked_len; /* from the container's header, at most 1 GiB */
	unsigned target;
	enum fat_binary_packing packing;
};

/* Tells whether this is a fat binary or the wrapper of one. */
bool fat_binary_is(const void *image);

/* Returns the fat binaries that a program of nvcc -rdc=true leaves to be linked at run time, up to
 * NULL; NULL: it has none. */
const void *const *fat_binary_parts(const void *image);

/* Tells whether the fat binary at the start of these `len` bytes of a file is complete. A wrapper
 * is not, since it holds a pointer. */
bool fat_binary_is_whole(const void *image, size_t len);

/*
 * Finds the PTX for a device of compute capability `target` (75): that of the newest target up to
 * it, else, if wished, of the oldest beyond it. ERROR_NOT_FOUND: there is no such PTX;
 * ERROR_UNSUPPORTED: damaged, or a container of another layout.
 */
int fat_binary_find_ptx(const void *image, unsigned target, unsigned wishes,
			struct fat_binary_ptx *ret, struct error *err);

#endif
