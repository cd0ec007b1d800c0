/* SPDX-License-Identifier: Apache-2.0 */
/* %nvflags: converts options of nvcc to those of clang, which compiles device code. */
#ifndef CGPU_COMPILER_DEVICE_FLAGS_H
#define CGPU_COMPILER_DEVICE_FLAGS_H

struct buffer;
struct error;

/*
 * Appends options of clang: to `both` those that also apply to the host compilation of a cell (-D,
 * -U, -I, -std), to `device` the others. ERROR_COMPILE: there is no such option.
 */
int device_flags_read(const char *nvflags, struct buffer *both, struct buffer *device,
		      struct error *err);

#endif
