/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files beside the notebook that hold CUDA or C++, `#include "kernels.cuh"`: a cell that includes one is compiled as if the
 * file's text stood in it, so what it holds is split between host and device like the cell's own text, and later cells have it
 * like what a cell has defined. Such a file is taken once, until its content changes. Headers that are plain C stay includes.
 *
 * The text is longer than the cell then. Which file a line of it is from is told by its number, which what rewrites the text
 * further must keep.
 */
#ifndef CGPU_COMPILER_INCLUDE_TEXT_H
#define CGPU_COMPILER_INCLUDE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct mem_pool;
struct session;

struct include_piece {
	uint32_t line;	     /* of the text, where the piece begins */
	uint32_t file;	     /* index; INCLUDE_TEXT_CELL: it is the cell's */
	uint32_t first;	     /* the line's number in its file */
	uint32_t cell_line;  /* of the cell's #include */
};

#define INCLUDE_TEXT_CELL UINT32_MAX

struct include_file {
	const char *name; /* as it is included */
	const char *path; /* absolute */
	uint64_t hash;	  /* of its content */
};

/* All in the pool. */
struct include_text {
	const char *text;
	const char *cell_name;
	struct include_piece *pieces; /* by line */
	uint32_t n, cap;
	struct include_file *files;
	uint32_t n_files, cap_files;
	const char **names; /* of the files */
	bool failed;
};

struct include_place {
	const char *file;
	uint32_t line;	    /* of the file */
	uint32_t cell_line; /* of the cell: that of the #include for lines of files */
	bool in_cell;
};

/* cflags: where their -I look, too. -1: ERROR_MEMORY. */
int include_text_init(struct include_text *t, const char *cell, const char *cell_name, const char *cflags,
		      const struct session *session, struct mem_pool *pool, struct error *err);
/* t may be NULL: all is the cell's. */
struct include_place include_text_place(const struct include_text *t, uint32_t line);
/* The line of the text for one of the file; 0: there is none. */
uint32_t include_text_line(const struct include_text *t, const char *file, uint32_t line);

/* What tells later cells that the session has the file with this content: a comment for the text of a declaration. */
const char *include_text_mark(const struct include_file *f, struct mem_pool *pool);

/* A file's text in the pool; NULL: it cannot be read, is longer than max bytes, or is no text. */
const char *include_text_read(const char *path, size_t max, struct mem_pool *pool);

#endif
