/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What C code does not get of a file that a cell includes (compiler/include-text.h): such a file may be written for C++, and a
 * cell uses a part of it only. So a definition of it that clang refuses is left out for host code, one that NVRTC refuses for
 * device code, and the cell is compiled without it. The cell says which they are; one that is used all the same is an error
 * that names the reason.
 */
#ifndef CGPU_COMPILER_LEFT_OUT_H
#define CGPU_COMPILER_LEFT_OUT_H

#include <stdbool.h>
#include <stdint.h>

struct buffer;
struct mem_pool;
struct host_text;

struct left_out_item {
	const char *name;   /* "": a directive, or what has no name */
	const char *file;
	uint32_t line;	    /* of the file */
	const char *reason; /* what the compiler said first */
	bool device;
};

/* In the pool of the host_text. */
struct left_out {
	struct left_out_item *at;
	uint32_t n, cap;
};

/* clang's error at this byte of the text: is it in a part of an included file? Then it is left out, and the host's text is to
 * be written anew. */
bool left_out_take(struct left_out *l, struct host_text *h, const char *message, long at);
/* The same for the lines of NVRTC's log. */
bool left_out_take_device(struct left_out *l, struct host_text *h, const char *log);

/* A note that names them; nothing when there are none. */
void left_out_note(const struct left_out *l, struct buffer *out);
/* Why there is no such name. */
const char *left_out_why(const struct left_out_item *x, struct mem_pool *pool);
/* Is clang's error about a name that was left out? */
bool left_out_is_named(const struct left_out *l, const char *message);

#endif
