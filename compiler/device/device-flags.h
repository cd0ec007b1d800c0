/* SPDX-License-Identifier: Apache-2.0 */
/* %nvflags: options as nvcc has them, for clang, which compiles device code. */
#ifndef CGPU_COMPILER_DEVICE_FLAGS_H
#define CGPU_COMPILER_DEVICE_FLAGS_H

struct buffer;
struct error;

/*
 * Appends options of clang: to `both` those that the host's half of a cell is parsed with, too (-D,
 * -U, -I, -std), to `device` the others. ERROR_COMPILE: there is no such option.
 */
int device_flags_read(const char *nvflags, struct buffer *both, struct buffer *device,
		      struct error *err);

#endif
