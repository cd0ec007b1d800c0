/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recursive walk over the tokens, one function for each form of item. It finds where an item
 * ends; whether the item is right C is clang's to say, so every way through ends, also on text that
 * is no C at all.
 */
#include "compiler/text/split.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/error.h"
#include "common/mem-pool.h"
#include "compiler/text/macro-text.h"

struct declared {
	uint32_t name; /* token */
	bool is_type;
};

struct splitter {
	const struct token_list *l;
	const struct name_source *names;
	struct item *items; /* malloc-ed while it grows */
	uint32_t n, cap;
	bool failed;
	bool has_brackets; /* the cell has a macro for one */
	struct declared *declared; /* what the cell has declared so far */
	uint32_t n_declared, cap_declared;
};

static const struct {
	const char *text;
	enum word_class class;
} words[] = {
#define WORD(text, class) { text, WORD_##class },
#include "compiler/text/words.def"
#undef WORD
};

enum word_class split_word_class(const char *word, size_t len)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strncmp(words[i].text, word, len) && !words[i].text[len])
			return words[i].class;
	return WORD_NONE;
}

bool split_is_specifier(const char *word, size_t len)
{
	enum word_class class = split_word_class(word, len);

	return class == WORD_TYPE || class == WORD_MARK;
}

bool split_is_keyword(const char *word, size_t len)
{
	return split_word_class(word, len) != WORD_NONE;
}

/* `class`, `using` and the like are names of C unless they are used as in C++. */
static bool is_plain_name(const struct token_list *l, uint32_t i)
{
	if (token_is(l, i, "template"))
		return !token_is(l, i + 1, "<");
	if (token_is(l, i, "class") || token_is(l, i, "namespace") || token_is(l, i, "using") || token_is(l, i, "constexpr"))
		return !token_is_name(l, i + 1);
	return false;
}

bool split_at_specifier(const struct token_list *l, uint32_t i)
{
	return token_is_name(l, i) && split_is_specifier(token_text(l, i), token_len(l, i)) && !is_plain_name(l, i);
}

bool split_at_identifier(const struct token_list *l, uint32_t i)
{
	return token_is_name(l, i) && (!split_is_keyword(token_text(l, i), token_len(l, i)) || is_plain_name(l, i));
}

static bool is_asm(const struct token_list *l, uint32_t i)
{
	return token_is(l, i, "asm") || token_is(l, i, "__asm__") || token_is(l, i, "__asm");
}

static bool same_text(const struct token_list *l, uint32_t a, uint32_t b)
{
	return token_len(l, a) == token_len(l, b) &&
	       !memcmp(token_text(l, a), token_text(l, b), token_len(l, a));
}

static enum name_class classify(struct splitter *s, uint32_t i);

/* The macro that the name at i is. */
static bool macro_at(struct splitter *s, uint32_t i, struct macro_text *ret)
{
	return split_at_identifier(s->l, i) &&
	       macro_text_find(s->l, i, s->names, token_text(s->l, i), token_len(s->l, i), ret) && !ret->is_undefined;
}

/* The first token of the n-th argument of the macro's use at i; TOKEN_NONE when there is none. */
static uint32_t argument(const struct token_list *l, uint32_t i, int n)
{
	uint32_t at = i + 2, end = token_behind(l, i + 1);

	for (; n && at < end; at++) {
		if (token_is(l, at, "(") || token_is(l, at, "{") || token_is(l, at, "["))
			at = token_behind(l, at) - 1;
		else if (token_is(l, at, ","))
			n--;
	}
	return !n && at + 1 < end ? at : TOKEN_NONE;
}

/* What the use at i of a macro starts like. */
static enum name_class classify_macro(struct splitter *s, uint32_t i, const struct macro_text *m, unsigned depth)
{
	const struct token_list *l = s->l;
	size_t n = macro_text_word(m->body, m->len);
	int parameter = n ? macro_text_parameter(m, m->body, n) : -1;
	struct macro_text inner;
	enum name_class class;

	if (!m->len)
		return NAME_MACRO_EMPTY;
	if (!n || split_word_class(m->body, n) == WORD_STATEMENT)
		return NAME_MACRO;
	if (parameter >= 0) {
		uint32_t at = token_is(l, i + 1, "(") ? argument(l, i, parameter) : TOKEN_NONE;

		if (at == TOKEN_NONE)
			return NAME_MACRO;
		if (depth && macro_at(s, at, &inner))
			return classify_macro(s, at, &inner, depth - 1);
		return split_at_specifier(l, at) || (split_at_identifier(l, at) && classify(s, at) == NAME_TYPE)
			       ? NAME_MACRO_SPECIFIER
			       : NAME_MACRO;
	}
	if (split_is_specifier(m->body, n))
		return NAME_MACRO_SPECIFIER;
	if (depth && macro_text_find(l, i, s->names, m->body, n, &inner))
		class = inner.is_undefined ? NAME_MACRO : classify_macro(s, i, &inner, depth - 1);
	else
		class = s->names->classify(s->names->context, m->body, n);
	for (uint32_t t = 0; t < s->n_declared; t++)
		if (s->declared[t].is_type && token_len(l, s->declared[t].name) == n &&
		    !memcmp(token_text(l, s->declared[t].name), m->body, n))
			class = NAME_TYPE;
	if (class == NAME_MACRO_EMPTY && n == m->len)
		return class;
	return class == NAME_TYPE || class == NAME_MACRO_SPECIFIER ? NAME_MACRO_SPECIFIER : NAME_MACRO;
}

static enum name_class classify(struct splitter *s, uint32_t i)
{
	const struct token_list *l = s->l;
	struct macro_text m;

	for (uint32_t t = s->n_declared; t-- > 0;)
		if (same_text(l, s->declared[t].name, i))
			return s->declared[t].is_type ? NAME_TYPE : NAME_VALUE;
	if (macro_text_find(l, i, s->names, token_text(l, i), token_len(l, i), &m)) {
		if (m.is_undefined)
			return NAME_UNKNOWN;
		if (!m.has_parameters || token_is(l, i + 1, "("))
			return classify_macro(s, i, &m, 4);
	}
	return s->names->classify(s->names->context, token_text(l, i), token_len(l, i));
}

/* Is all of a declaration or statement, up to its `}` or `;`, in the macro that is used at i? */
static bool is_whole_macro(struct splitter *s, uint32_t i, const struct macro_text *m, unsigned depth)
{
	size_t n;
	const char *last = macro_text_last(m, &n);
	int parameter = last ? macro_text_parameter(m, last, n) : -1;
	struct macro_text inner;
	uint32_t at;

	if (!last || !depth)
		return macro_text_is_closed(m);
	if (parameter < 0)
		return macro_text_find(s->l, i, s->names, last, n, &inner) && !inner.is_undefined &&
		       is_whole_macro(s, i, &inner, depth - 1);
	at = token_is(s->l, i + 1, "(") ? argument(s->l, i, parameter) : TOKEN_NONE;
	return at != TOKEN_NONE && macro_at(s, at, &inner) && is_whole_macro(s, at, &inner, depth - 1);
}

/* The end of a use of a macro that needs no `;`; 0 when i is none. */
static uint32_t end_of_whole_macro(struct splitter *s, uint32_t i)
{
	const struct token_list *l = s->l;
	struct macro_text m;
	uint32_t end;

	if (!macro_at(s, i, &m) || (m.has_parameters && !token_is(l, i + 1, "(")) || !is_whole_macro(s, i, &m, 6))
		return 0;
	end = m.has_parameters ? token_behind(l, i + 1) : i + 1;
	return end + token_is(l, end, ";");
}

bool split_is_scoped_enum(const struct token_list *l, uint32_t i)
{
	return token_is(l, i, "enum") && (token_is(l, i + 1, "class") || token_is(l, i + 1, "struct"));
}

/* `: unsigned char` in front of an enum's `{`; elsewhere a colon is something else. */
static uint32_t behind_enum_type(const struct token_list *l, uint32_t colon)
{
	uint32_t i = colon + 1;

	while (token_is_name(l, i))
		i++;
	return token_is(l, i, "{") ? i : colon;
}

uint32_t split_tag(const struct token_list *l, uint32_t i, uint32_t *ret_name)
{
	bool is_enum = token_is(l, i, "enum");

	*ret_name = TOKEN_NONE;
	if (is_enum && split_is_scoped_enum(l, i))
		i++;
	for (i++; token_is(l, i, "__attribute__") || token_is(l, i, "__attribute") || token_is(l, i, "__align__") ||
		  token_is(l, i, "_Alignas") || token_is(l, i, "alignas");)
		i = token_is(l, i + 1, "(") ? token_behind(l, i + 1) : i + 1;
	if (split_at_identifier(l, i) && split_at_identifier(l, i + 1) && token_is(l, i + 2, "{"))
		i++;
	if (split_at_identifier(l, i))
		*ret_name = i++;
	return is_enum && token_is(l, i, ":") ? behind_enum_type(l, i) : i;
}

/* Two names in a row, or name and star: what an unknown first name must be. */
static bool unknown_declares(const struct token_list *l, uint32_t i)
{
	if (token_is_name(l, i + 1))
		return true;
	if (token_is(l, i + 1, "(")) {
		uint32_t behind = token_behind(l, i + 1);

		return token_is(l, behind,
				"{"); /* a function without a return type, such as main() {} */
	}
	if (!token_is(l, i + 1, "*"))
		return false;
	while (token_is(l, i + 1, "*") || token_is(l, i + 1, "const"))
		i++;
	if (token_is(l, i + 2, "(")) {
		uint32_t behind = token_behind(l, i + 2);

		if (!token_is(l, behind, ";") && !token_is(l, behind, "{") && !token_is(l, behind, ","))
			return false;
	}
	return split_at_identifier(l, i + 1) && i + 2 < l->n &&
	       (token_is(l, i + 2, ";") || token_is(l, i + 2, "=") || token_is(l, i + 2, ",") ||
		token_is(l, i + 2, "[") || token_is(l, i + 2, "("));
}

static bool starts_old_parameters(struct splitter *s, uint32_t open, uint32_t i);

/* `main() {`, and `f(a, b) int a; char *b; {`: a definition without a type. */
static bool defines_untyped(struct splitter *s, uint32_t i)
{
	const struct token_list *l = s->l;
	uint32_t behind = token_is(l, i + 1, "(") ? token_behind(l, i + 1) : l->n;

	if (behind >= l->n || !starts_old_parameters(s, i + 1, behind))
		return token_is(l, behind, "{");
	while (behind < l->n && !token_is(l, behind, "{") && !token_is(l, behind, "=") && l->at[behind].kind != TOKEN_DIRECTIVE)
		behind = token_is(l, behind, "(") || token_is(l, behind, "[") ? token_behind(l, behind) : behind + 1;
	return token_is(l, behind, "{") && token_is(l, behind - 1, ";");
}

static bool starts_declaration(struct splitter *s, uint32_t i)
{
	const struct token_list *l = s->l;

	if (i >= l->n)
		return false;
	if (token_is(l, i, "__extension__"))
		return split_at_specifier(l, i + 1) || starts_declaration(s, i + 1);
	if (split_at_specifier(l, i))
		return true;
	if (is_asm(l, i) && token_is(l, i + 1, "(")) {
		/* Basic asm belongs to the file, asm with operands to the code. */
		for (uint32_t j = i + 2; j < token_behind(l, i + 1); j++)
			if (token_is(l, j, ":"))
				return false;
		return true;
	}
	if (!split_at_identifier(l, i) || token_is(l, i + 1, ":"))
		return false;
	switch (classify(s, i)) {
	case NAME_TYPE:
		return true;
	case NAME_MACRO_SPECIFIER:
		return true;
	case NAME_MACRO_EMPTY:
		return starts_declaration(s,
					  token_is(l, i + 1, "(") ? token_behind(l, i + 1) : i + 1);
	case NAME_VALUE:
		return defines_untyped(s, i);
	case NAME_MACRO:
		return false;
	case NAME_UNKNOWN:
		break;
	}
	return unknown_declares(l, i) || defines_untyped(s, i);
}

static bool at_directive(const struct token_list *l, uint32_t i)
{
	return i < l->n && l->at[i].kind == TOKEN_DIRECTIVE;
}

static bool is_conditional(const struct token_list *l, uint32_t i)
{
	static const char *const conditions[] = { "if", "ifdef", "ifndef", "elif", "else", "endif" };
	bool is = false;

	for (size_t k = 0; k < sizeof(conditions) / sizeof(*conditions); k++)
		is |= token_directive_is(l, i, conditions[k]);
	return is;
}

/* Counts the #if that are open inside an item; false for a directive that belongs to an #if before the item, which so ends. */
static bool pass_directive(const struct token_list *l, uint32_t i, unsigned *depth)
{
	if (token_directive_is(l, i, "if") || token_directive_is(l, i, "ifdef") || token_directive_is(l, i, "ifndef")) {
		++*depth;
	} else if (token_directive_is(l, i, "else") || token_directive_is(l, i, "elif")) {
		return *depth > 0;
	} else if (token_directive_is(l, i, "endif")) {
		if (!*depth)
			return false;
		--*depth;
	}
	return true;
}

/* How many #if are open behind the tokens [i, end). */
static unsigned open_branches(const struct token_list *l, uint32_t i, uint32_t end)
{
	unsigned depth = 0;

	for (; i < end; i++)
		if (at_directive(l, i))
			pass_directive(l, i, &depth);
	return depth;
}

/* K&R definitions: `int f(a, b) int a; double b; {`: i is behind the parameter list's `)`. */
static bool starts_old_parameters(struct splitter *s, uint32_t open, uint32_t i)
{
	const struct token_list *l = s->l;

	if (i >= l->n || open + 2 > i || !token_is_name(l, i) || token_is(l, i, "__attribute__") ||
	    is_asm(l, i))
		return false;
	for (uint32_t j = open + 1; j + 1 < i; j++)
		if (!split_at_identifier(l, j) && !token_is(l, j, ","))
			return false;
	if (open + 1 == i - 1)
		return false;
	return starts_declaration(s, i);
}

/* A macro for `struct name`. */
static bool stands_for_tag(struct splitter *s, uint32_t i)
{
	struct macro_text m;

	return macro_at(s, i, &m) &&
	       (!strncmp(m.body, "struct", 6) || !strncmp(m.body, "union", 5) || !strncmp(m.body, "enum", 4));
}

/* Where the declaration or definition that starts at i ends; ret_body: its `{`, or TOKEN_NONE. */
static uint32_t end_of_declaration(struct splitter *s, uint32_t i, uint32_t *ret_body)
{
	const struct token_list *l = s->l;
	bool initialiser = false, tag = false, old_style = false;
	unsigned branches = 0;

	*ret_body = TOKEN_NONE;
	while (i < l->n) {
		if (at_directive(l, i)) {
			if (!pass_directive(l, i, &branches))
				return i;
			i++;
		} else if (token_is(l, i, ";")) {
			if (!old_style)
				return i + 1;
			i++;
		} else if (token_is(l, i, "{")) {
			if (!initialiser && !tag) {
				*ret_body = i;
				return token_behind(l, i);
			}
			tag = false;
			i = token_behind(l, i);
		} else if (token_is(l, i, "(") || token_is(l, i, "[")) {
			uint32_t open = i;

			i = token_behind(l, i);
			if (token_is(l, open, "(") && !initialiser &&
			    starts_old_parameters(s, open, i))
				old_style = true;
		} else if (token_is(l, i, "struct") || token_is(l, i, "union") ||
			   token_is(l, i, "enum") || token_is(l, i, "class") ||
			   token_is(l, i, "namespace")) {
			uint32_t name;

			i = split_tag(l, i, &name);
			tag = token_is(l, i, "{") || token_is(l, i, ":");
		} else {
			if (token_is(l, i, "="))
				initialiser = true;
			else if (token_is(l, i, ","))
				initialiser = false;
			uint32_t behind = token_is(l, i + 1, "(") ? token_behind(l, i + 1) : i + 1;

			if (split_at_identifier(l, i) && token_is(l, behind, "{") && !initialiser && stands_for_tag(s, i)) {
				tag = true;
				i = behind - 1;
			}
			i++;
		}
	}
	return l->n;
}

static uint32_t end_of_statement(struct splitter *s, uint32_t i, bool *ret_open);

static uint32_t skip_directives(const struct token_list *l, uint32_t i)
{
	while (at_directive(l, i))
		i++;
	return i;
}

/* To the `;`, or the block of a macro that acts like a loop. *ret_open: the text ended first. */
static uint32_t end_of_expression(struct splitter *s, uint32_t i, bool *ret_open)
{
	const struct token_list *l = s->l;
	uint32_t whole = end_of_whole_macro(s, i), first = i;
	unsigned branches = 0;

	if (whole)
		return whole;
	if (split_at_identifier(l, i) && token_is(l, i + 1, "(")) {
		uint32_t behind = token_behind(l, i + 1);

		if (token_is(l, behind, "{"))
			return token_behind(l, behind);
	}
	while (i < l->n) {
		if (token_is(l, i, ";"))
			return i + 1;
		if (at_directive(l, i) && !pass_directive(l, i, &branches))
			break;
		if (token_is(l, i, "(") || token_is(l, i, "[") || token_is(l, i, "{"))
			i = token_behind(l, i);
		else
			i++;
	}
	*ret_open = true;
	/* `x` and then #undef: only what is inside of an expression may change a macro there. */
	while (i > first && at_directive(l, i - 1) && !is_conditional(l, i - 1))
		i--;
	return i;
}

static uint32_t behind_head(const struct token_list *l, uint32_t i)
{
	return token_is(l, i + 1, "(") ? token_behind(l, i + 1) : i + 1;
}

static uint32_t end_of_if(struct splitter *s, uint32_t i, bool *ret_open)
{
	uint32_t end = end_of_statement(s, behind_head(s->l, i), ret_open),
		 next = skip_directives(s->l, end);

	if (token_is(s->l, next, "else"))
		return end_of_statement(s, next + 1, ret_open);
	return end;
}

static uint32_t end_of_do(struct splitter *s, uint32_t i, bool *ret_open)
{
	uint32_t end = skip_directives(s->l, end_of_statement(s, i + 1, ret_open));

	return token_is(s->l, end, "while")
		       ? end_of_expression(s, behind_head(s->l, end), ret_open)
		       : end;
}

/* Behind the colon of `case e:`, minding `?:`. */
static uint32_t behind_colon(const struct token_list *l, uint32_t i)
{
	uint32_t open = 0;

	for (; i < l->n; i++) {
		if (token_is(l, i, "?"))
			open++;
		else if (token_is(l, i, ";"))
			return i;
		else if (token_is(l, i, ":") && !open--)
			return i + 1;
	}
	return i;
}

static uint32_t end_of_statement(struct splitter *s, uint32_t i, bool *ret_open)
{
	const struct token_list *l = s->l;

	i = skip_directives(l, i);
	if (i >= l->n) {
		*ret_open = true;
		return l->n;
	}
	if (token_is(l, i, ";"))
		return i + 1;
	if (token_is(l, i, "{"))
		return token_behind(l, i);
	if (token_is(l, i, "if"))
		return end_of_if(s, i, ret_open);
	if (token_is(l, i, "for") || token_is(l, i, "while") || token_is(l, i, "switch"))
		return end_of_statement(s, behind_head(l, i), ret_open);
	if (token_is(l, i, "do"))
		return end_of_do(s, i, ret_open);
	if (token_is(l, i, "else"))
		return end_of_statement(s, i + 1, ret_open);
	bool label = split_at_identifier(l, i) && token_is(l, i + 1, ":");

	if (label || token_is(l, i, "case") || token_is(l, i, "default")) {
		uint32_t behind = skip_directives(l, behind_colon(l, i));

		if (behind >= l->n || starts_declaration(s, behind))
			return behind;
		return end_of_statement(s, behind, ret_open);
	}
	return end_of_expression(s, i, ret_open);
}

static void remember(struct splitter *s, uint32_t name, bool is_type)
{
	if (name == TOKEN_NONE)
		return;
	if (s->n_declared == s->cap_declared) {
		uint32_t cap = s->cap_declared ? 2 * s->cap_declared : 32;
		struct declared *grown = realloc(s->declared, cap * sizeof(*grown));

		if (!grown) {
			s->failed = true;
			return;
		}
		s->declared = grown;
		s->cap_declared = cap;
	}
	s->declared[s->n_declared++] = (struct declared){ name, is_type };
}

/* `(*name)`, `(name)`: the name in parentheses; TOKEN_NONE for a parameter list. */
static uint32_t name_in_parentheses(const struct token_list *l, uint32_t open)
{
	uint32_t i = open + 1;

	while (token_is(l, i, "*") || token_is(l, i, "(") || token_is(l, i, "^") || split_at_specifier(l, i))
		i++;
	return i > open + 1 && split_at_identifier(l, i) && !split_at_specifier(l, open + 1) ? i : TOKEN_NONE;
}

/* The names that a declaration declares: in each declarator the last name before its suffixes, or the one in `(*name)`. */
static void remember_names(struct splitter *s, uint32_t first, uint32_t end, bool is_type)
{
	const struct token_list *l = s->l;
	uint32_t last = TOKEN_NONE;
	bool initialiser = false;

	for (uint32_t i = first; i < end;) {
		if (token_is(l, i, ",") || token_is(l, i, ";")) {
			remember(s, last, is_type);
			last = TOKEN_NONE;
			initialiser = false;
			i++;
		} else if (token_is(l, i, "(") || token_is(l, i, "{") || token_is(l, i, "[")) {
			uint32_t name = token_is(l, i, "(") && !initialiser ? name_in_parentheses(l, i) : TOKEN_NONE;

			if (name != TOKEN_NONE)
				last = name;
			i = token_behind(l, i);
		} else if (token_is(l, i, "struct") || token_is(l, i, "union") || token_is(l, i, "enum")) {
			i = split_tag(l, i, &last);
			last = TOKEN_NONE;
		} else {
			initialiser |= token_is(l, i, "=");
			if (split_at_identifier(l, i) && !initialiser)
				last = i;
			i++;
		}
	}
	remember(s, last, is_type);
}

static struct item *add_item(struct splitter *s, enum item_kind kind, uint32_t first, uint32_t end)
{
	if (s->n == s->cap) {
		uint32_t cap = s->cap ? 2 * s->cap : 64;
		struct item *grown = realloc(s->items, cap * sizeof(*grown));

		if (!grown) {
			s->failed = true;
			return NULL;
		}
		s->items = grown;
		s->cap = cap;
	}
	s->items[s->n] = (struct item){ .kind = kind, .first = first, .end = end, .body = TOKEN_NONE };
	return &s->items[s->n++];
}

/* An #if that was opened inside the item is closed inside it. */
static uint32_t close_branches(struct splitter *s, uint32_t i, uint32_t end, bool *ret_open)
{
	while (end < s->l->n && open_branches(s->l, i, end))
		end = at_directive(s->l, end) ? end + 1 : end_of_statement(s, end, ret_open);
	return end;
}

static uint32_t next_declaration(struct splitter *s, uint32_t i)
{
	const struct token_list *l = s->l;
	uint32_t body = TOKEN_NONE, end = end_of_whole_macro(s, i);
	bool open = false, opaque = end != 0;
	struct item *item;

	if (!opaque)
		end = close_branches(s, i, end_of_declaration(s, i, &body), &open);
	item = add_item(s, body == TOKEN_NONE ? ITEM_DECLARATION : ITEM_FUNCTION, i, end);
	if (item) {
		item->is_opaque = opaque;
		item->body = body;
	}
	if (!opaque)
		remember_names(s, i, body == TOKEN_NONE ? end : body, token_is(l, i, "typedef"));
	return end;
}

/* Does the text start with this word or words? Then what follows is at *text. */
static bool takes_words(const char **text, size_t *n, const char *wanted)
{
	size_t len = strlen(wanted);

	if (*n < len || strncmp(*text, wanted, len) ||
	    (*n > len && (isalnum((unsigned char)(*text)[len]) || (*text)[len] == '_')))
		return false;
	while (len < *n && isspace((unsigned char)(*text)[len]))
		len++;
	*text += len;
	*n -= len;
	return true;
}

/* #pragma omp parallel for, #pragma unroll: of the loop or block that follows, so it goes where the statements go. */
static bool belongs_to_statement(const char *rest, size_t n)
{
	static const char *const of_loops[] = { "unroll", "nounroll", "clang loop", "GCC unroll", "GCC ivdep" };
	static const char *const of_files[] = { "threadprivate", "declare", "requires", "begin", "end", "assumes" };

	for (size_t k = 0; k < sizeof(of_loops) / sizeof(*of_loops); k++)
		if (takes_words(&rest, &n, of_loops[k]))
			return true;
	if (!takes_words(&rest, &n, "omp"))
		return false;
	for (size_t k = 0; k < sizeof(of_files) / sizeof(*of_files); k++)
		if (takes_words(&rest, &n, of_files[k]))
			return false;
	return true;
}

static uint32_t add_pragma(struct splitter *s, uint32_t first, uint32_t end, const char *text, size_t n)
{
	add_item(s, belongs_to_statement(text, n) ? ITEM_STATEMENT : ITEM_DIRECTIVE, first, end);
	return end;
}

/* The end of `_Pragma("...")`, or of a macro that stands for nothing else; 0 when i is none. */
static uint32_t next_pragma(struct splitter *s, uint32_t i)
{
	const struct token_list *l = s->l;
	struct macro_text m;

	if (token_is(l, i, "_Pragma") && token_is(l, i + 1, "(") && token_len(l, i + 2) > 2)
		return add_pragma(s, i, token_behind(l, i + 1), token_text(l, i + 2) + 1, token_len(l, i + 2) - 2);
	if (!macro_at(s, i, &m) || m.len || !m.pragma || (m.has_parameters && !token_is(l, i + 1, "(")))
		return 0;
	return add_pragma(s, i, m.has_parameters ? token_behind(l, i + 1) : i + 1, m.pragma, m.pragma_len);
}

static uint32_t next_item(struct splitter *s, uint32_t i)
{
	const struct token_list *l = s->l;
	bool open = false;
	uint32_t end;

	if (token_directive_is(l, i, "pragma")) {
		size_t n;
		const char *rest = token_directive_rest(l, i, &n);

		return add_pragma(s, i, i + 1, rest, n);
	}
	if (at_directive(l, i)) {
		add_item(s, ITEM_DIRECTIVE, i, i + 1);
		return i + 1;
	}
	end = next_pragma(s, i);
	if (end)
		return end;
	if (starts_declaration(s, i))
		return next_declaration(s, i);
	end = close_branches(s, i, end_of_statement(s, i, &open), &open);
	open &= end == l->n || at_directive(l, end);
	add_item(s, open ? ITEM_EXPRESSION : ITEM_STATEMENT, i, end);
	return end > i ? end : i + 1;
}

/* `#define BEGIN {` */
static bool defines_bracket(const struct token_list *l, uint32_t i)
{
	size_t n;
	const char *rest;

	if (!token_directive_is(l, i, "define"))
		return false;
	rest = token_directive_rest(l, i, &n);
	while (n && isspace((unsigned char)rest[n - 1]))
		n--;
	return n > 2 && strchr("{}", rest[n - 1]) && isspace((unsigned char)rest[n - 2]);
}

/* Of a name that is a macro for a bracket, which one; 0 for all others. */
static char stands_for_bracket(void *data, uint32_t i)
{
	const struct splitter *s = data;
	const char *known = s->names->macro ? s->names->macro(s->names->context, token_text(s->l, i), token_len(s->l, i)) : NULL;
	struct macro_text m;

	if (!s->has_brackets && !(known && strlen(known) < 8 && strpbrk(known, "{}")))
		return 0;
	if (!macro_text_find(s->l, i, s->names, token_text(s->l, i), token_len(s->l, i), &m))
		return 0;
	return !m.is_undefined && !m.has_parameters && m.len == 1 && strchr("{}", *m.body) ? *m.body : 0;
}

int split_init(struct split *s, const char *text, size_t len, const struct name_source *names,
	       struct mem_pool *pool, struct error *err)
{
	struct splitter x = { .l = &s->tokens, .names = names };

	*s = (struct split){ 0 };
	if (token_list_init(&s->tokens, text, len, pool, err))
		return -1;
	for (uint32_t i = 0; i < s->tokens.n; i++)
		x.has_brackets |= defines_bracket(&s->tokens, i);
	if (token_list_set_brackets(&s->tokens, stands_for_bracket, &x, err))
		return -1;
	for (uint32_t i = 0; i < s->tokens.n && !x.failed;)
		i = next_item(&x, i);
	s->items = mem_pool_array(pool, x.n + 1, sizeof(*s->items));
	s->n_items = x.n;
	if (s->items && x.n)
		memcpy(s->items, x.items, x.n * sizeof(*s->items));
	free(x.items);
	free(x.declared);
	if (!s->items || x.failed)
		return error_set(err, ERROR_MEMORY, "out of memory for the items of a cell");
	return 0;
}
