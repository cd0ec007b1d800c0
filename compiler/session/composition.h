/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Composes the text in front of a cell: only those declarations of the session that the cell needs,
 * however long the session is.
 */
#ifndef CGPU_COMPILER_COMPOSITION_H
#define CGPU_COMPILER_COMPOSITION_H

#include "compiler/session/session.h"

/*
 * Appends the texts of the declarations that these tokens need, in an order in which each one
 * compiles. cell_name: a local file that the tokens include, too, is included as from their line;
 * NULL: as from the cell that included it first.
 */
int composition_write(struct compiler_session *s, const struct token_list *tokens,
		      const struct session_mask *masks, size_t n_masks, const char *cell_name,
		      struct buffer *out, struct error *err);

/*
 * Does the same for a C++ unit: everything but directives is put into extern "C" blocks, and
 * diagnostics about an entry name the file COMPOSITION_PLACE and its number. `dropped` (by entry,
 * NULL: none) are left out.
 */
#define COMPOSITION_PLACE "declaration "
/* The prefix of such names for kernels that are recompiled, which are behind the cell. */
#define COMPOSITION_ANEW "kernel "
int composition_write_cpp(struct compiler_session *s, const struct token_list *tokens,
			  const uint8_t *dropped, struct buffer *out, struct error *err);
/* Appends the entries that are CPP_BEHIND and have this place (by entry); none of them was written
 * in front. */
int composition_write_behind(struct compiler_session *s, const uint8_t *dropped,
			     const uint32_t *places, uint32_t place, struct buffer *out,
			     struct error *err);

#endif
