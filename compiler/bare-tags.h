/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CUDA programs are C++, where `struct point` is `point`, too. Where a cell says so, clang complains; then the name becomes a
 * typedef in front of the cell, and of later ones.
 */
#ifndef CGPU_COMPILER_BARE_TAGS_H
#define CGPU_COMPILER_BARE_TAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;
struct host_text;
struct mem_pool;
struct session;

struct bare_tags {
	const char **typedefs; /* "typedef struct point point;", in the pool */
	const char **names;
	uint32_t n;
};

/*
 * clang does not know this name: is it the tag of a structure of the cell or the session? True: written anew the cell's text
 * knows it. False when it is none, or is taken already.
 */
bool bare_tags_take(struct host_text *h, const struct session *session, const char *name, size_t len);
/* `point{1, 2}`, and `twice()` of a class without constructors, are compound literals of C: edits of host code. */
void bare_tags_edit(struct host_text *h, const struct session *session);
void bare_tags_write(const struct bare_tags *b, struct buffer *out);

#endif
