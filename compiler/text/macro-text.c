/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Directives are read backwards from the token, so that the nearest #define or #undef of the cell
 * counts; only a name that the cell does not mention is looked up among the session's macros. The
 * text of a macro is not expanded: parameters are skipped up to the first `)`, and blanks and
 * backslashes at both ends of the body are cut off. The result points into the cell or the
 * session's text and copies nothing.
 */
#include "compiler/text/macro-text.h"

#include <string.h>

#include "compiler/text/cell-tokens.h"

/* Parses a definition; text is what follows the macro's name. */
static void read_definition(struct macro_text *m, const char *text, size_t n)
{
	size_t at = 0;

	*m = (struct macro_text){ .has_parameters = n && *text == '(' };
	if (m->has_parameters)
		while (at < n && text[at++] != ')')
			;
	while (at < n && strchr(" \t\r\n\\", text[at]))
		at++;
	while (n > at && strchr(" \t\r\n\\", text[n - 1]))
		n--;
	m->body = text + at;
	m->len = n - at;
}

bool macro_text_find(const struct token_list *l, uint32_t before, const struct name_source *names,
		     const char *word, size_t len, struct macro_text *ret)
{
	const char *text;
	size_t n, name;

	for (uint32_t d = before; d-- > 0;) {
		bool undef = token_directive_is(l, d, "undef");

		if (!undef && !token_directive_is(l, d, "define"))
			continue;
		text = token_directive_name(l, d, &name);
		if (name != len || memcmp(text, word, len))
			continue;
		(void)token_directive_rest(l, d, &n);
		if (undef)
			*ret = (struct macro_text){ .is_undefined = true };
		else
			read_definition(ret, text + len, n - len);
		return true;
	}
	text = names->macro ? names->macro(names->context, word, len) : NULL;
	if (text)
		read_definition(ret, text, strlen(text));
	return text != NULL;
}

bool macro_text_pastes(const char *text, size_t len)
{
	for (size_t i = 0; i + 1 < len; i++) {
		if (text[i] != '#' || text[i + 1] != '#')
			continue;
		i += 2;
		while (i < len && (text[i] == ' ' || text[i] == '\t'))
			i++;
		if (len - i < 11 || memcmp(text + i, "__VA_ARGS__", 11))
			return true;
	}
	return false;
}
