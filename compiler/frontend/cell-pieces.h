/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The top-level pieces that clang has found in a C cell, and the names that it does not know. A
 * function that statements use in front of its definition is declared there, as if the definition
 * were in a file of its own.
 */
#ifndef CGPU_COMPILER_CELL_PIECES_H
#define CGPU_COMPILER_CELL_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct host_text;
struct mem_pool;

struct cell_piece {
	uint32_t begin, body, end; /* bytes of the cell; body: start of a function's body */
	const char *function;      /* the function that it defines, in the pool; NULL: none */
};

struct unknown_name {
	uint32_t at; /* byte of the cell */
	const char *name;
};

struct cell_pieces {
	struct mem_pool *pool;
	struct cell_piece *at;        /* owned */
	struct unknown_name *unknown; /* owned */
	size_t n, cap, n_unknown, cap_unknown;
	bool failed; /* memory is out: the lists are incomplete */
};

/* Starts over, since the cell is compiled again. */
void cell_pieces_begin(struct cell_pieces *p);
void cell_pieces_release(struct cell_pieces *p);
void cell_pieces_add(struct cell_pieces *p, uint32_t begin, uint32_t body, uint32_t end,
		     const char *function);
void cell_pieces_add_unknown(struct cell_pieces *p, uint32_t at, const char *name);
/* Declares such functions, after the compilation. False: there is none that is not declared
 * already. */
bool cell_pieces_declare(struct cell_pieces *p, struct host_text *h);

#endif
