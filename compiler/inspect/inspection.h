/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the word at a place of a cell is: its declaration as it is written, where it comes from, the
 * comment above it, what the manual says of a function of the machine's headers. Within the
 * parentheses of a call, where no known word is, it is the function that is called, with the
 * parameter at the cursor.
 */
#ifndef CGPU_COMPILER_INSPECTION_H
#define CGPU_COMPILER_INSPECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/buffer.h"

struct compiler;
struct error;
struct manual;

struct inspection {
	bool found;
	bool of_session;    /* a declaration of a cell that has run */
	struct buffer code; /* the declaration, without the body of a function */
	/* Bytes of `code` that are the parameter at the cursor; equal: there is none. */
	uint32_t mark_begin, mark_end;
	struct buffer what;    /* "function counted of In[3], line 2" */
	struct buffer comment; /* as Markdown; may be empty */
	struct buffer source;  /* all of the definition; may be empty */
};

/* Fills *ret, which is zero before, for a place in bytes. -1: ERROR_MEMORY. Release it with
 * inspection_release(), in any case. */
int inspection_init(struct inspection *ret, struct compiler *c, struct manual *manual,
		    const char *text, uint32_t at, struct error *err);
void inspection_release(struct inspection *i);

#endif
