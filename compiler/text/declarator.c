/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/text/declarator.h"


#include <string.h>

#include "common/error.h"
#include "common/mem-pool.h"

/* With <stdbool.h> unread, `typedef int bool;` is a good declaration. */
static bool names_bool(const struct declaration_parts *p, const struct token_list *l, uint32_t i)
{
	return p->is_typedef && token_is(l, i, "bool") && (token_is(l, i + 1, ";") || token_is(l, i + 1, ","));
}

/* `double complex z`: with <complex.h> a macro, otherwise any name. */
static bool is_complex(const struct token_list *l, uint32_t i)
{
	return token_is(l, i, "complex") && (token_is_name(l, i + 1) || token_is(l, i + 1, "*"));
}

static bool is_tag_word(const struct token_list *l, uint32_t i)
{
	return token_is(l, i, "struct") || token_is(l, i, "union") || token_is(l, i, "enum") ||
	       (token_is(l, i, "class") && split_at_specifier(l, i));
}

/* Qualifiers and storage classes leave the type open; the other specifiers give it. */
static bool gives_type(const struct token_list *l, uint32_t i)
{
	return split_word_class(token_text(l, i), token_len(l, i)) != WORD_MARK;
}

static void note_word(struct declaration_parts *p, const struct token_list *l, uint32_t i)
{
	p->is_typedef |= token_is(l, i, "typedef");
	p->is_extern |= token_is(l, i, "extern");
	p->is_static |= token_is(l, i, "static");
	p->is_inline |= token_is(l, i, "inline") || token_is(l, i, "__inline") ||
			token_is(l, i, "__inline__") || token_is(l, i, "__forceinline__");
	p->is_constexpr |= token_is(l, i, "constexpr");
	p->is_const |= p->is_constexpr || token_is(l, i, "const") || token_is(l, i, "__const");
	p->is_shared |= token_is(l, i, "__shared__");
	p->is_auto_type |= token_is(l, i, "__auto_type");
	p->is_thread_local |= token_is(l, i, "_Thread_local") || token_is(l, i, "__thread") || token_is(l, i, "thread_local");
	p->is_other |= token_is(l, i, "_Static_assert") || token_is(l, i, "static_assert");
}

static uint32_t tag_specifier(struct declaration_parts *p, const struct token_list *l, uint32_t i)
{
	p->tag = i;
	i = split_tag(l, i, &p->tag_name);
	if (token_is(l, i, "{")) {
		p->body = i;
		i = token_behind(l, i);
	}
	return i;
}

static uint32_t specifiers(struct declaration_parts *p, const struct token_list *l, uint32_t i,
			   uint32_t end)
{
	bool has_type = false;

	while (i < end) {
		if (is_tag_word(l, i)) {
			i = tag_specifier(p, l, i);
			has_type = true;
		} else if (has_type && is_complex(l, i)) {
			i++;
		} else if (has_type && names_bool(p, l, i)) {
			break;
		} else if (split_at_specifier(l, i)) {
			note_word(p, l, i);
			has_type |= gives_type(l, i);
			i++;
			if (token_is(l, i, "(") && (!has_type || !token_is(l, i + 1, "*")))
				i = token_behind(l, i);
		} else if (l->at[i].kind == TOKEN_STRING) {
			i++; /* extern "C" */
		} else if (split_at_identifier(l, i) && !has_type && i + 1 < end &&
			   !token_is(l, i + 1, "=") && !token_is(l, i + 1, ";") &&
			   !token_is(l, i + 1, ",") && !token_is(l, i + 1, "[")) {
			if (token_is(l, i + 1, "(") && token_is(l, token_behind(l, i + 1), "{"))
				break; /* main() {} */
			if (!split_at_specifier(l, i + 1) || gives_type(l, i + 1) == false) {
				p->type_name = i;
				has_type = true;
			}
			i++;
		} else {
			break;
		}
	}
	return i;
}

static void find_name(const struct declaration_parts *p, struct declarator *d, const struct token_list *l)
{
	for (uint32_t i = d->first; i < d->end; i++) {
		if (token_is(l, i, "*") || token_is(l, i, "^")) {
			d->is_pointer = true;
		} else if (token_is(l, i, "__attribute__") || token_is(l, i, "__launch_bounds__")) {
			i = token_is(l, i + 1, "(") ? token_behind(l, i + 1) - 1 : i;
		} else if (split_at_identifier(l, i) || names_bool(p, l, i)) {
			d->name = i;
			d->is_function = token_is(l, i + 1, "(") && i + 1 < d->end;
			d->is_array = token_is(l, i + 1, "[") && i + 1 < d->end;
			d->is_unsized = d->is_array && token_is(l, i + 2, "]");
			return;
		} else if (token_is(l, i, "[") || token_is(l, i, "{")) {
			return;
		}
	}
}

/* Behind the declarator or initialiser that starts at i. */
static uint32_t end_of_part(const struct token_list *l, uint32_t i, uint32_t end,
			    bool stop_at_equals)
{
	while (i < end && !token_is(l, i, ",") && !token_is(l, i, ";") &&
	       !(stop_at_equals && token_is(l, i, "="))) {
		if (token_is(l, i, "(") || token_is(l, i, "[") || token_is(l, i, "{"))
			i = token_behind(l, i);
		else
			i++;
	}
	return i < end ? i : end;
}

static uint32_t count_declarators(const struct token_list *l, uint32_t i, uint32_t end)
{
	uint32_t n = 1;

	while (i < end) {
		i = end_of_part(l, i, end, false);
		n += token_is(l, i, ",");
		i++;
	}
	return n;
}

int declaration_parts_init(struct declaration_parts *p, const struct token_list *l,
			   const struct item *item, struct mem_pool *pool, struct error *err)
{
	uint32_t end = item->kind == ITEM_FUNCTION ? item->body : item->end, i;

	*p = (struct declaration_parts){ .first = item->first,
					 .body = TOKEN_NONE,
					 .tag = TOKEN_NONE,
					 .tag_name = TOKEN_NONE,
					 .type_name = TOKEN_NONE };
	p->is_other = item->is_opaque || token_is(l, item->first, "asm") || token_is(l, item->first, "__asm__") ||
		      token_is(l, item->first, "__asm");
	i = specifiers(p, l, item->first, end);
	p->specifiers_end = i;
	if (p->is_other)
		return 0;
	p->declarators =
		mem_pool_array(pool, count_declarators(l, i, end), sizeof(*p->declarators));
	if (!p->declarators)
		return error_set(err, ERROR_MEMORY, "out of memory for the declarations of a cell");
	while (i < end && !token_is(l, i, ";")) {
		struct declarator *d = &p->declarators[p->n++];

		*d = (struct declarator){ .first = i,
					  .name = TOKEN_NONE,
					  .equals = TOKEN_NONE };
		i = d->end = end_of_part(l, i, end, true);
		if (token_is(l, i, "=")) {
			d->equals = i;
			i = d->init_end = end_of_part(l, i + 1, end, false);
		}
		find_name(p, d, l);
		i += token_is(l, i, ",");
	}
	return 0;
}

uint32_t declarator_parameter_name(const struct token_list *l, uint32_t first, uint32_t end)
{
	uint32_t last = TOKEN_NONE, words = 0;

	for (uint32_t t = first; t < end; t++) {
		if (token_is(l, t, "[") || token_is(l, t, "="))
			break;
		if (token_is(l, t, "(") && token_is(l, t + 1, "*") && token_is_name(l, t + 2))
			return t + 2;
		if (!token_is_name(l, t))
			continue;
		bool keyword = split_is_keyword(token_text(l, t), token_len(l, t));

		words++;
		last = keyword ? TOKEN_NONE : t;
	}
	return words > 1 ? last : TOKEN_NONE;
}

uint32_t declarator_parameter_end(const struct token_list *l, uint32_t i, uint32_t close)
{
	while (i < close && !token_is(l, i, ","))
		i = token_is(l, i, "(") || token_is(l, i, "[") ? token_behind(l, i) : i + 1;
	return i;
}
