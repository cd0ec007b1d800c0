/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A listing of device code: functions, each with its instructions, preceded by the source lines
 * that they were made from. PTX and the disassembler's text are read into the same rows
 * (listing-ptx.c, listing-sass.c); listing-show.c writes them as text and as HTML. All texts are in
 * the listing's pool.
 */
#ifndef CGPU_COMPILER_LISTING_H
#define CGPU_COMPILER_LISTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/mem-pool.h"

struct buffer;
struct error;

/* A text for source lines: that of a cell, by its name in line tables. Borrowed. */
struct listing_source {
	const char *name; /* "In[3]" */
	const char *text;
};

/* A place in the source; file "" is none. For an inlined call there is also the caller. */
struct listing_place {
	const char *file;
	uint32_t line;
	const char *caller_file; /* "": not inlined */
	uint32_t caller_line;
};

enum listing_kind {
	/* The rows behind it were made from this line: its place, and its text if it is known. */
	LISTING_SOURCE,
	LISTING_CODE, /* an instruction */
	LISTING_LABEL,
	LISTING_OTHER, /* declarations, brackets */
};

struct listing_row {
	enum listing_kind kind;
	const char *text;
};

struct listing_function {
	const char *name;  /* as in the code; "": rows outside of functions */
	const char *shown; /* the C++ spelling */
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
	struct listing_place place; /* of the rows that follow */
	bool failed;                /* memory is out */
};

void listing_init(struct listing *l, const struct listing_source *sources, size_t n_sources);
void listing_release(struct listing *l);

/* Reads a PTX text. Names of variables and functions are unchanged. */
int listing_read_ptx(struct listing *l, const char *text, size_t len, struct error *err);
/* Reads the output of nvdisasm -c -gi. */
int listing_read_sass(struct listing *l, const char *text, size_t len, struct error *err);

/* Tells whether `name` is the C name of the function, or its name in the code; "" matches all. */
bool listing_function_is(const struct listing_function *f, const char *name);
/* Returns how many functions have this name; ret may be NULL. */
size_t listing_count(const struct listing *l, const char *name);
void listing_text(const struct listing *l, const char *name, struct buffer *out);
void listing_html(const struct listing *l, const char *name, struct buffer *out);

/* For the readers: add rows to the function that was begun last. */
void listing_begin(struct listing *l, const char *name, size_t len, bool is_entry);
void listing_add(struct listing *l, enum listing_kind kind, const char *text, size_t len);
/* Adds a row for the place, unless the preceding rows have the same one. */
void listing_go_to(struct listing *l, const struct listing_place *place);
/* Returns a short file name: "/home/me/In[3]" is "In[3]"; other files keep their last part. */
const char *listing_file(struct listing *l, const char *path, size_t len);

#endif
