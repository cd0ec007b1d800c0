/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where an address of device code lies in an image of machine code that a core dump has with it:
 * the function, and the lines of source with the calls that were inlined there. The image is one
 * that the driver has relocated: its .text sections, one a kernel, have the addresses at which they
 * ran.
 */
#ifndef CGPU_RUNTIME_CUDA_REPORTS_CUBIN_LINES_H
#define CGPU_RUNTIME_CUDA_REPORTS_CUBIN_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_bytes;

#define CUBIN_NAME_MAX 256
#define CUBIN_FRAMES_MAX 8

struct cubin_frame {
	char function[CUBIN_NAME_MAX]; /* its PTX name */
	char file[160];
	uint32_t line;
};

struct cubin_place {
	char kernel[CUBIN_NAME_MAX];   /* PTX names */
	char function[CUBIN_NAME_MAX]; /* of a __device__ function that was not inlined; else the
					  kernel */
	uint64_t offset;               /* in it */
	uint32_t n_frames;             /* innermost first; 0: there is no line information */
	struct cubin_frame frames[CUBIN_FRAMES_MAX];
};

/* false: the address is none of this image, or there is no such image. Lines that are malformed are
 * none. */
bool cubin_lines_find(const struct elf_bytes *image, uint64_t address, struct cubin_place *ret);

#endif
