/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops and recursion are worth optimising; nested loops are worth all passes. Functions without
 * either are called from loops of later cells: their code is optimised, but its code generation is
 * kept simple. The rest runs once. Inline assembly needs clang's own pipeline, which knows the line
 * of its errors.
 */
#include "compiler/units/effort.h"

#include <stdbool.h>
#include <string.h>

#include "compiler/text/cell-tokens.h"

/* The limit of functions times tokens; a larger cell counts as recursive. */
#define LOOKS_MAX 1000000

static bool has_any(const struct token_list *l, const char *const *words)
{
	for (uint32_t t = 0; t < l->n; t++)
		for (const char *const *w = words; *w; w++)
			if (token_is(l, t, *w))
				return true;
	return false;
}

static bool is_loop(const struct token_list *l, uint32_t t)
{
	return token_is(l, t, "for") || token_is(l, t, "while") || token_is(l, t, "do");
}

/* Returns the token behind the body of the loop at t, as far as brackets tell; a statement without
 * braces ends at its `;`. */
static uint32_t loop_end(const struct token_list *l, uint32_t t, uint32_t *ret_body)
{
	uint32_t body = token_is(l, t, "do") ? t + 1 : token_behind(l, t + 1);

	*ret_body = body;
	if (body < l->n && token_is(l, body, "{"))
		return token_behind(l, body);
	while (body < l->n && !token_is(l, body, ";"))
		body = token_is(l, body, "(") || token_is(l, body, "[") || token_is(l, body, "{")
			       ? token_behind(l, body)
			       : body + 1;
	return body;
}

static bool has_nested_loop(const struct token_list *l)
{
	for (uint32_t t = 0; t + 1 < l->n; t++) {
		uint32_t body, end;

		if (!is_loop(l, t))
			continue;
		end = loop_end(l, t, &body);
		for (uint32_t i = body; i < end; i++)
			if (is_loop(l, i))
				return true;
	}
	return false;
}

/* Returns the name in front of the first bracket; TOKEN_NONE if there is none. */
static uint32_t function_name(const struct token_list *l, const struct cell_item *f)
{
	for (uint32_t t = f->first + 1; t < f->body; t++)
		if (token_is(l, t, "("))
			return token_is_name(l, t - 1) ? t - 1 : TOKEN_NONE;
	return TOKEN_NONE;
}

static bool same_text(const struct token_list *l, uint32_t a, uint32_t b)
{
	return token_len(l, a) == token_len(l, b) &&
	       !memcmp(token_text(l, a), token_text(l, b), token_len(l, a));
}

static bool is_mentioned(const struct token_list *l, uint32_t name)
{
	struct cell_item item;

	for (uint32_t i = 0; i < l->n; i = item.end) {
		item = cell_item_at(l, i);
		for (uint32_t t = item.body; t < item.end; t++)
			if (same_text(l, t, name))
				return true;
	}
	return false;
}

static uint32_t count_functions(const struct token_list *l)
{
	struct cell_item item;
	uint32_t n = 0;

	for (uint32_t i = 0; i < l->n; i = item.end) {
		item = cell_item_at(l, i);
		n += item.body != TOKEN_NONE;
	}
	return n;
}

/* Tells whether a function of the cell is mentioned in a function of the cell, so that they may
 * call each other recursively. */
static bool may_recur(const struct token_list *l, uint32_t n_functions)
{
	struct cell_item item;

	if ((uint64_t)n_functions * l->n > LOOKS_MAX)
		return true;
	for (uint32_t i = 0; i < l->n; i = item.end) {
		uint32_t name;

		item = cell_item_at(l, i);
		name = item.body == TOKEN_NONE ? 0 : function_name(l, &item);
		if (item.body != TOKEN_NONE && (name == TOKEN_NONE || is_mentioned(l, name)))
			return true;
	}
	return false;
}

static bool has_assembly(const struct token_list *l)
{
	static const char *const assembly[] = { "asm", "__asm", "__asm__", NULL };

	return has_any(l, assembly);
}

enum clang_effort effort_of_cpp(const struct token_list *tokens)
{
	return has_assembly(tokens) ? CLANG_FULL : CLANG_CPP;
}

enum clang_effort effort_of(const struct token_list *tokens)
{
	static const char *const loops[] = { "for", "while", "do", "goto", NULL };
	uint32_t n_functions;

	if (has_assembly(tokens))
		return CLANG_FULL;
	if (has_any(tokens, loops))
		return has_nested_loop(tokens) ? CLANG_NESTED : CLANG_LOOPS;
	n_functions = count_functions(tokens);
	if (!n_functions)
		return CLANG_ONCE;
	return may_recur(tokens, n_functions) ? CLANG_LOOPS : CLANG_LIGHT;
}
