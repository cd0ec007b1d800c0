/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One declaration of the session, with the names that it declares (for a struct also its nested
 * tags, for an enum its constants) and the names that it mentions.
 */
#ifndef CGPU_COMPILER_SESSION_ENTRY_H
#define CGPU_COMPILER_SESSION_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "common/code/unit.h"
#include "common/text/names.h"

struct session_use {
	uint32_t name;
	bool is_tag;     /* `struct name` */
	bool by_pointer; /* `struct name *`: an incomplete type is sufficient */
};

struct session_entry {
	struct declaration d; /* texts owned */
	uint32_t *declares;   /* owned */
	uint32_t n_declares;
	struct session_use *uses; /* owned */
	uint32_t n_uses;
	bool hidden;   /* not visible to the words of the cell being compiled */
	bool left_out; /* nor to the entries that they use */
	/* The place of the entry in the text of the cell being compiled; equal: it is not there. */
	size_t from, to;
};

/* Copies the texts and adds their names to `names`. -1: there is no memory; the entry must be
 * released all the same. */
int session_entry_init(struct session_entry *e, struct names *names, const struct declaration *d);
void session_entry_release(struct session_entry *e);

#endif
