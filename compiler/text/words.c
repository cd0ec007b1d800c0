/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of words comes from words.def and is searched from its start. An identifier in front of
 * another name, or of `*` and a name that a declarator may go on behind, is taken for a type, since
 * a header or an earlier cell may have declared it; a call is told from a declaration by what
 * stands behind its parentheses. Words of C++ that are names in C, such as `class` and `using`,
 * count as identifiers unless what follows shows their use in C++.
 */
#include "compiler/text/words.h"

#include <string.h>

static const struct {
	const char *text;
	enum word_class class;
} words[] = {
#define WORD(text, class) { text, WORD_##class },
#include "compiler/text/words.def"
#undef WORD
};

enum word_class word_class_of(const char *word, size_t len)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strncmp(words[i].text, word, len) && !words[i].text[len])
			return words[i].class;
	return WORD_NONE;
}

static bool is_specifier(const char *word, size_t len)
{
	enum word_class class = word_class_of(word, len);

	return class == WORD_TYPE || class == WORD_MARK;
}

bool word_is_keyword(const char *word, size_t len)
{
	return word_class_of(word, len) != WORD_NONE;
}

/* Tells whether a word such as `class` or `using` is a name of C, because it is not used as in
 * C++. */
static bool is_plain_name(const struct token_list *l, uint32_t i)
{
	if (token_is(l, i, "template"))
		return !token_is(l, i + 1, "<");
	if (token_is(l, i, "class") || token_is(l, i, "namespace") || token_is(l, i, "using") ||
	    token_is(l, i, "constexpr"))
		return !token_is_name(l, i + 1);
	return false;
}

bool words_at_specifier(const struct token_list *l, uint32_t i)
{
	return token_is_name(l, i) && is_specifier(token_text(l, i), token_len(l, i)) &&
	       !is_plain_name(l, i);
}

bool words_at_identifier(const struct token_list *l, uint32_t i)
{
	return token_is_name(l, i) &&
	       (!word_is_keyword(token_text(l, i), token_len(l, i)) || is_plain_name(l, i));
}

static bool at_scoped_enum(const struct token_list *l, uint32_t i)
{
	return token_is(l, i, "enum") &&
	       (token_is(l, i + 1, "class") || token_is(l, i + 1, "struct"));
}

/* Skips `: unsigned char` in front of an enum's `{`; elsewhere a colon is something else. */
static uint32_t behind_enum_type(const struct token_list *l, uint32_t colon)
{
	uint32_t i = colon + 1;

	while (token_is_name(l, i))
		i++;
	return token_is(l, i, "{") ? i : colon;
}

uint32_t words_tag(const struct token_list *l, uint32_t i, uint32_t *ret_name)
{
	bool is_enum = token_is(l, i, "enum");

	*ret_name = TOKEN_NONE;
	if (is_enum && at_scoped_enum(l, i))
		i++;
	for (i++; token_is(l, i, "__attribute__") || token_is(l, i, "__attribute") ||
		  token_is(l, i, "__align__") || token_is(l, i, "_Alignas") ||
		  token_is(l, i, "alignas");)
		i = token_is(l, i + 1, "(") ? token_behind(l, i + 1) : i + 1;
	if (words_at_identifier(l, i) && words_at_identifier(l, i + 1) && token_is(l, i + 2, "{"))
		i++;
	if (words_at_identifier(l, i))
		*ret_name = i++;
	return is_enum && token_is(l, i, ":") ? behind_enum_type(l, i) : i;
}

/* Tells whether an unknown name must be a type: it is followed by another name, or by a star and a
 * name. */
static bool name_declares(const struct token_list *l, uint32_t i)
{
	if (token_is_name(l, i + 1))
		return true;
	if (token_is(l, i + 1, "(")) {
		uint32_t behind = token_behind(l, i + 1);

		/* A function without a return type, such as main() {}. */
		return token_is(l, behind, "{");
	}
	if (!token_is(l, i + 1, "*"))
		return false;
	while (token_is(l, i + 1, "*") || token_is(l, i + 1, "const"))
		i++;
	if (token_is(l, i + 2, "(")) {
		uint32_t behind = token_behind(l, i + 2);

		if (!token_is(l, behind, ";") && !token_is(l, behind, "{") &&
		    !token_is(l, behind, ","))
			return false;
	}
	return words_at_identifier(l, i + 1) && i + 2 < l->n &&
	       (token_is(l, i + 2, ";") || token_is(l, i + 2, "=") || token_is(l, i + 2, ",") ||
		token_is(l, i + 2, "[") || token_is(l, i + 2, "("));
}

bool words_declare(const struct token_list *l, uint32_t i)
{
	while (token_is(l, i, "__extension__"))
		i++;
	return words_at_specifier(l, i) ||
	       (words_at_identifier(l, i) && !token_is(l, i + 1, ":") && name_declares(l, i));
}
