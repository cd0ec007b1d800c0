/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Headers beside the notebook that are plain C stay includes of host code (compiler/include-text.h). Device code cannot have
 * them whole, since NVRTC has no libc; it gets the macros, types and constants of them that it speaks of.
 */
#ifndef CGPU_COMPILER_DEVICE_INCLUDE_H
#define CGPU_COMPILER_DEVICE_INCLUDE_H

struct buffer;
struct error;
struct host_text;
struct session;

/* Of the headers that the cell and earlier ones include: what this text, and what it brings itself, speaks of. */
int device_include_write(const struct host_text *h, struct session *session, const char *text, struct buffer *out,
			 struct error *err);

#endif
