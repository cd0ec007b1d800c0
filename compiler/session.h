/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What earlier cells have declared, as the compiler keeps it: the declarations, which names each
 * one declares and which it mentions. So a cell's translation unit starts with just those that the
 * cell needs, however long the session is.
 */
#ifndef CGPU_COMPILER_SESSION_H
#define CGPU_COMPILER_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "common/unit.h"
#include "common/names.h"
#include "compiler/split.h"

struct buffer;
struct error;

struct session_entry;

/* One declaration of a name; a word may be a tag and an ordinary name. */
struct session_link {
	uint32_t entry;
	uint32_t previous; /* link plus 1; 0 for none */
};

/* What completion and inspection show of a header's name. */
struct header_name {
	const char *name; /* in `names` */
	char kind;	  /* f function, v variable, t typedef, s tag, e enum constant, m macro */
	const char *signature;
};

struct session {
	struct names names;
	struct session_entry *entries; /* owned */
	uint32_t n, cap;
	struct session_link *links; /* owned; all (name, entry) pairs */
	uint32_t n_links, cap_links;
	uint32_t *newest; /* by name: its last link plus 1; 0 for none */
	uint8_t *header;  /* by name: enum name_class + 1 of a header's name; 0 for none */
	uint32_t n_by_name;
	uint32_t n_dead_links; /* of entries that were replaced */
	uint32_t n_hidden;
	bool headers_precompiled; /* includes, and macros in front of them, are not written to a host cell */
	struct header_name
		*headers; /* owned; sorted by name once session_sort_headers() was called */
	uint32_t n_headers, cap_headers;
};

void session_init(struct session *s);
void session_release(struct session *s);

/* Take the declarations from index `total` on off. */
void session_truncate(struct session *s, uint32_t total);
/* This one stands at the index, which is at most one behind the last; texts are copied. */
int session_set(struct session *s, uint32_t index, const struct declaration *d, struct error *err);

/* The cell being compiled must not use this declaration, which its text replaces. */
void session_hide(struct session *s, uint32_t index);
void session_show_all(struct session *s);
/* Have earlier cells declared a variable or function of this name that the cell being compiled does not replace? */
bool session_declares(const struct session *s, const char *name, size_t len);
bool session_is_hidden(const struct session *s, uint32_t index);
/* Why the session does not know this name any more, or not in this cell; false when it never did. */
bool session_why_unknown(const struct session *s, const char *name, size_t len, struct buffer *out);

/* A name that a header brings. */
int session_add_header_name(struct session *s, const char *name, enum name_class class,
			    struct error *err);
/* The same with what there is to show of it. */
int session_add_header(struct session *s, char kind, const char *name, const char *signature,
		       struct error *err);
void session_sort_headers(struct session *s);
/* Which kind of name (see struct header_name) a header gives to this word; 0 for none. */
char session_header_kind(const struct session *s, const char *name, size_t len);
/* The first of the headers' names that starts with prefix; *ret_n of them follow each other. */
const struct header_name *session_headers_with(const struct session *s, const char *prefix,
					       uint32_t *ret_n);

/*
 * The texts of includes whose headers' names the session does not know yet, with the macros before
 * them, appended to out; they count as known from then on. False when there are none.
 */
bool session_unread_includes(struct session *s, struct buffer *out);
/* The cell that holds this include reports its names itself. */
void session_include_is_read(struct session *s, const char *text, size_t len);

/* Answers for split_init(). */
struct name_source session_names(struct session *s);

/* A name that the cell defines itself, so that the session's declaration of it must not come
 * before. */
struct session_mask {
	const char *space; /* as declaration_space() says */
	const char *name;
	size_t len;
	bool is_constant; /* an enumerator */
};

/*
 * Append the texts of the declarations that these tokens need, in an order in which each one
 * compiles. device: the device texts instead of the host ones. cell_name: a local file that the tokens include, too, is
 * included as from their line; NULL: as from the cell that did it first.
 */
int session_compose(struct session *s, const struct token_list *tokens,
		    const struct session_mask *masks, size_t n_masks, bool device,
		    const char *cell_name, struct buffer *out, struct error *err);
/* Has an earlier cell included this local file? */
bool session_includes(const struct session *s, const char *path);
/* The path of an include of a local file; NULL for any other declaration. malloc-ed. */
char *session_included_path(const struct declaration *d);

/*
 * The same for a C++ unit: what is no directive stands in an extern "C" block, and diagnostics about an entry name the file
 * SESSION_ENTRY_PLACE and its number. `dropped` (by entry, NULL: none) are left out.
 */
#define SESSION_ENTRY_PLACE "declaration "
int session_compose_cpp(struct session *s, const struct token_list *tokens, const uint8_t *dropped, struct buffer *out,
			struct error *err);
uint32_t session_count(const struct session *s);
/* NULL behind the last one. */
const struct declaration *session_at(const struct session *s, uint32_t entry);

void session_each(const struct session *s,
		  void (*found)(void *context, const struct declaration *d), void *context);
/* The index of the last declaration of this name; TOKEN_NONE for none. */
uint32_t session_index(const struct session *s, const char *name, size_t len);
/* The declaration of this name, or NULL. */
const struct declaration *session_find(const struct session *s, const char *name, size_t len);

#endif
