/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Four lists hold the result: `masks` (names that the cell defines, which hide the session's
 * declarations), `own` (ordinary names that it defines), `taken` and `left`. The first two are
 * guessed from tokens before clang runs. Clang's errors then move single names: into `taken`, into
 * `left`, or out of `masks`. Each move is made at most once for a name, so the compilations that
 * follow come to an end. A header's name is put out of the way by #undef and, unless the header
 * has it as a macro, by a #define to a prefixed name (compiler/text/own-names.h).
 */
#include "compiler/frontend/cell-names.h"

#include <string.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "compiler/frontend/host-text.h"
#include "compiler/text/cell-tokens.h"
#include "compiler/text/own-names.h"
#include "compiler/text/words.h"

static void add_mask(struct host_text *h, const char *space, const char *name, size_t len)
{
	h->masks[h->n_masks++] = (struct session_mask){ .space = space, .name = name, .len = len };
}

/* Masks the tags and enumerators in a tag's body, and in the bodies inside it. */
static void mask_body(struct host_text *h, uint32_t first, uint32_t end)
{
	const struct token_list *l = &h->tokens;

	for (uint32_t i = first; i < end; i++) {
		bool is_enum = token_is(l, i, "enum");
		uint32_t at, name;

		if (!is_enum && !token_is(l, i, "struct") && !token_is(l, i, "union"))
			continue;
		at = words_tag(l, i, &name);
		if (name != TOKEN_NONE && token_is(l, at, "{"))
			add_mask(h, "tag", token_text(l, name), token_len(l, name));
		if (!is_enum || !token_is(l, at, "{"))
			continue;
		for (uint32_t k = at; k < token_behind(l, at); k++) {
			if ((k == at || token_is(l, k, ",")) && token_is_name(l, k + 1)) {
				add_mask(h, "ordinary", token_text(l, k + 1), token_len(l, k + 1));
				h->masks[h->n_masks - 1].is_constant = true;
			} else if (k > at && token_is(l, k, "("))
				k = token_behind(l, k) - 1;
		}
	}
}

/* Hides the header's prototype: a prototype of another type is for the same function, but clang
 * must not see both. */
bool cell_names_take(struct host_text *h, const struct compiler_session *session, const char *name,
		     size_t len)
{
	const struct token_list *l = &h->tokens;
	char kind = header_names_kind(&session->headers, name, len);

	if (!kind || kind == 's')
		return false;
	for (uint32_t i = 0; i < h->n_taken; i++)
		if (token_len(l, h->taken[i]) == len &&
		    !memcmp(token_text(l, h->taken[i]), name, len))
			return false;
	for (uint32_t i = 0; i < l->n; i++) {
		if (!token_is_name(l, i) || token_len(l, i) != len ||
		    memcmp(token_text(l, i), name, len))
			continue;
		h->taken[h->n_taken++] = i;
		return true;
	}
	return false;
}

bool cell_names_keep(struct host_text *h, const struct compiler_session *session, const char *name,
		     size_t len)
{
	bool found = false;

	if (!session_declares(session, name, len))
		return false;
	for (uint32_t i = 0; i < h->n_masks; i++)
		if (!strcmp(h->masks[i].space, "ordinary") && h->masks[i].len == len &&
		    !memcmp(h->masks[i].name, name, len)) {
			h->masks[i--] = h->masks[--h->n_masks];
			found = true;
		}
	return found;
}

static bool is_left(const struct host_text *h, const char *name, size_t len)
{
	const struct token_list *l = &h->tokens;

	for (uint32_t i = 0; i < h->n_left; i++)
		if (token_len(l, h->left[i]) == len &&
		    !memcmp(token_text(l, h->left[i]), name, len))
			return true;
	return false;
}

bool cell_names_leave(struct host_text *h, const char *name, size_t len)
{
	const struct token_list *l = &h->tokens;

	for (uint32_t i = 0; i < l->n && !is_left(h, name, len); i++)
		if (token_is_name(l, i) && token_len(l, i) == len &&
		    !memcmp(token_text(l, i), name, len)) {
			h->left[h->n_left++] = i;
			return true;
		}
	return false;
}

static void mask_directive(struct host_text *h, uint32_t i)
{
	size_t len;
	const char *name = token_directive_name(&h->tokens, i, &len);

	/* An #undef needs the macro in front of it to have an effect; clang accepts a redefinition
	 * after it. */
	if (token_directive_is(&h->tokens, i, "define"))
		add_mask(h, "macro", name, len);
}

/* Tells whether a prototype such as `int sum(int n);` means a function of a C++ cell, whose symbol
 * is not its name. */
static bool is_function_of_cpp(const struct host_text *h, const struct compiler_session *session,
			       uint32_t name)
{
	const struct token_list *l = &h->tokens;
	const struct declaration *known =
		session_find(session, token_text(l, name), token_len(l, name));

	return known && known->kind == DECLARATION_FUNCTION &&
	       strstr(known->host, ") __asm__(\"_Z");
}

/* Recognises `typedef int bool;`. */
static bool is_word_for_type(const struct token_list *l, uint32_t i)
{
	return token_is(l, i, "bool") && (token_is(l, i + 1, ";") || token_is(l, i + 1, ","));
}

/* Tells whether a token in a declaration is the declared name: behind a type, a star, a comma or
 * the members of a structure, and in front of what can follow a name. */
static bool is_declared(const struct token_list *l, const struct cell_item *item, uint32_t i)
{
	static const char *const behind[] = { "=", ";",       ",",   "[",
					      "(", "__asm__", "asm", "__attribute__" };
	bool follows = i + 1 >= item->end;

	if (!words_at_identifier(l, i) && !is_word_for_type(l, i))
		return false;
	for (size_t k = 0; k < sizeof(behind) / sizeof(*behind); k++)
		follows |= token_is(l, i + 1, behind[k]);
	if (!follows)
		return false;
	return i == item->first ? item->body != TOKEN_NONE
				: token_is_name(l, i - 1) || token_is(l, i - 1, "*") ||
					  token_is(l, i - 1, ",") || token_is(l, i - 1, "}") ||
					  token_is(l, i - 1, ")") || token_is(l, i - 1, "(");
}

/* Skips a declarator: `(*f)(int)`, `name(int)` declares what it begins with, not its parameters. */
static uint32_t behind_declarator(const struct token_list *l, uint32_t i, uint32_t end)
{
	while (i < end && !token_is(l, i, ",") && !token_is(l, i, ";"))
		i = token_is(l, i, "(") || token_is(l, i, "[") || token_is(l, i, "{")
			    ? token_behind(l, i)
			    : i + 1;
	return i;
}

static void add_declared(struct host_text *h, const struct compiler_session *session,
			 const struct cell_item *item, uint32_t i, bool is_shared)
{
	const struct token_list *l = &h->tokens;
	bool is_function = token_is(l, i + 1, "("),
	     defines = !is_function || item->body != TOKEN_NONE;

	if (is_function && item->body == TOKEN_NONE && is_function_of_cpp(h, session, i))
		return;
	add_mask(h, "ordinary", token_text(l, i), token_len(l, i));
	if (!is_shared && (defines || token_is(l, item->first, "static")))
		h->own[h->n_own++] = i;
}

static void find_in_declaration(struct host_text *h, const struct compiler_session *session,
				const struct cell_item *item)
{
	const struct token_list *l = &h->tokens;
	uint32_t end = item->body == TOKEN_NONE ? item->end : item->body, i = item->first;
	bool is_shared = false;

	while (i < end) {
		uint32_t name;

		is_shared |= token_is(l, i, "extern");
		if (token_is(l, i, "struct") || token_is(l, i, "union") || token_is(l, i, "enum")) {
			uint32_t behind = words_tag(l, i, &name);

			behind = token_is(l, behind, "{") ? token_behind(l, behind) : behind;
			mask_body(h, i, behind);
			i = behind;
		} else if (is_declared(l, item, i)) {
			add_declared(h, session, item, i, is_shared);
			i = behind_declarator(l, i + 1, end);
		} else if (token_is(l, i, "(") && !token_is(l, i + 1, "*") &&
			   !words_at_identifier(l, i + 1)) {
			i = token_behind(l, i);
		} else {
			i++;
		}
	}
}

int cell_names_find(struct host_text *h, const struct compiler_session *session, struct error *err)
{
	const struct token_list *l = &h->tokens;
	struct cell_item item;

	h->masks = mem_pool_array(h->pool, 2 * l->n + 1, sizeof(*h->masks));
	h->own = mem_pool_array(h->pool, l->n + 1, sizeof(*h->own));
	h->taken = mem_pool_array(h->pool, l->n + 1, sizeof(*h->taken));
	h->left = mem_pool_array(h->pool, l->n + 1, sizeof(*h->left));
	if (!h->masks || !h->own || !h->taken || !h->left)
		return error_set(err, ERROR_MEMORY, "out of memory for the names of a cell");
	for (uint32_t i = 0; i < l->n; i = item.end) {
		item = cell_item_at(l, i);
		if (l->at[i].kind == TOKEN_DIRECTIVE)
			mask_directive(h, i);
		else if (words_declare(l, i))
			find_in_declaration(h, session, &item);
	}
	return 0;
}

/* Tells whether a parameter or member such as `int true` has the name of a header's macro, which
 * must be undefined. errno must stay a macro. */
static bool declares_macro(const struct compiler_session *session, const struct token_list *l,
			   uint32_t i)
{
	static const char *const behind[] = { ",", ")", ";", "=", "[", ":" };
	bool declares = false;

	if (!i || !token_is_name(l, i) || !words_at_specifier(l, i - 1) || token_is(l, i, "errno"))
		return false;
	for (size_t k = 0; k < sizeof(behind) / sizeof(*behind); k++)
		declares |= token_is(l, i + 1, behind[k]);
	return declares &&
	       header_names_kind(&session->headers, token_text(l, i), token_len(l, i)) == 'm';
}

/* Writes directives for names that the cell defines, not for those that it only declares: `extern
 * int puts();` means libc's. */
void cell_names_write(struct host_text *h, const struct compiler_session *session)
{
	const struct token_list *l = &h->tokens;

	for (uint32_t i = 0; i < l->n; i++)
		if (declares_macro(session, l, i))
			own_names_write(&session->headers, token_text(l, i), token_len(l, i),
					&h->unit.text);

	for (uint32_t i = 0; i < h->n_masks; i++)
		if (h->masks[i].is_constant || !strcmp(h->masks[i].space, "macro"))
			own_names_write(&session->headers, h->masks[i].name, h->masks[i].len,
					&h->unit.text);
	for (uint32_t i = 0; i < h->n_taken; i++)
		own_names_write(&session->headers, token_text(l, h->taken[i]),
				token_len(l, h->taken[i]), &h->unit.text);
	for (uint32_t i = 0; i < h->n_own; i++)
		if (!is_left(h, token_text(l, h->own[i]), token_len(l, h->own[i])))
			own_names_write(&session->headers, token_text(l, h->own[i]),
					token_len(l, h->own[i]), &h->unit.text);
}
