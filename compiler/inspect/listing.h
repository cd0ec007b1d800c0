/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Device code as it is shown: functions, each with its instructions, and before these the lines of
 * source that they were made of. PTX and the disassembler's text are read into the same rows
 * (listing-ptx.c, listing-sass.c); listing-show.c writes them as text and as HTML. All texts live
 * in the listing's pool.
 */
#ifndef CGPU_COMPILER_LISTING_H
#define CGPU_COMPILER_LISTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/mem-pool.h"

struct buffer;
struct error;

/* Text that lines are taken from: that of a cell, by its name in line tables. Borrowed. */
struct listing_source {
	const char *name; /* "In[3]" */
	const char *text;
};

/* A place in the source; file "" is none. Of an inlined call: where it stands. */
struct listing_place {
	const char *file;
	uint32_t line;
	const char *caller_file; /* "": not inlined */
	uint32_t caller_line;
};

enum listing_kind {
	LISTING_SOURCE, /* the rows behind it were made of this line: its place, and its text where
			   it is known */
	LISTING_CODE,   /* an instruction */
	LISTING_LABEL,
	LISTING_OTHER, /* declarations, brackets */
};

struct listing_row {
	enum listing_kind kind;
	const char *text;
};

struct listing_function {
	const char *name;  /* as the code spells it; "": what stands outside of functions */
	const char *shown; /* as C++ spells it */
	bool is_entry;
	size_t first, n; /* rows */
	size_t instructions;
};

struct listing {
	struct mem_pool pool;
	const struct listing_source *sources; /* borrowed */
	size_t n_sources;
	struct listing_row *rows;
	size_t n_rows, cap_rows;
	struct listing_function *functions;
	size_t n_functions, cap_functions;
	struct listing_place place; /* of the rows that come */
	bool failed;                /* memory is out */
};

void listing_init(struct listing *l, const struct listing_source *sources, size_t n_sources);
void listing_release(struct listing *l);

/* What a PTX text holds. Names of variables and functions are as they stand there. */
int listing_read_ptx(struct listing *l, const char *text, size_t len, struct error *err);
/* What nvdisasm -c -gi has written. */
int listing_read_sass(struct listing *l, const char *text, size_t len, struct error *err);

/* Is `name` the C name of the function, or its name in the code? "" is that of all. */
bool listing_function_is(const struct listing_function *f, const char *name);
/* The functions of this name, ret may be NULL; how many there are. */
size_t listing_count(const struct listing *l, const char *name);
void listing_text(const struct listing *l, const char *name, struct buffer *out);
void listing_html(const struct listing *l, const char *name, struct buffer *out);

/* For the readers: rows of the function that was begun last. */
void listing_begin(struct listing *l, const char *name, size_t len, bool is_entry);
void listing_add(struct listing *l, enum listing_kind kind, const char *text, size_t len);
/* A row for the place, unless the rows before it are of the same one. */
void listing_go_to(struct listing *l, const struct listing_place *place);
/* "/home/me/In[3]" is "In[3]"; other files keep their last part. */
const char *listing_file(struct listing *l, const char *path, size_t len);

#endif
