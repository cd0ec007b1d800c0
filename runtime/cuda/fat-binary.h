/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The container in which nvcc puts device code into an object: a wrapper points at a header, behind which images of PTX and
 * of machine code follow one another. Only PTX that is not compressed is of use here; nvcc is asked for that.
 */
#ifndef CGPU_RUNTIME_CUDA_FAT_BINARY_H
#define CGPU_RUNTIME_CUDA_FAT_BINARY_H

#include <stddef.h>
#include <stdint.h>

struct error;

/* The PTX for the newest architecture up to `sm`, borrowed. ERROR_INPUT: damaged; ERROR_UNSUPPORTED: no such PTX in it. */
int fat_binary_ptx(const void *wrapper, unsigned sm, const char **ret, size_t *ret_len, struct error *err);

#endif
