/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/text/macro-text.h"

#include <string.h>

#include "compiler/text/split.h"

size_t macro_text_word(const char *p, size_t n)
{
	size_t i = 0;

	while (i < n && (p[i] == '_' || (p[i] >= 'a' && p[i] <= 'z') || (p[i] >= 'A' && p[i] <= 'Z') ||
			 (i && p[i] >= '0' && p[i] <= '9')))
		i++;
	return i;
}

static size_t skip_blank(const char *p, size_t n, size_t at)
{
	while (at < n && strchr(" \t\r\n\\", p[at]))
		at++;
	return at;
}

size_t macro_text_pragma(const char *p, size_t n, size_t at, size_t *ret_open)
{
	static const char word[] = "_Pragma";
	bool quoted = false;

	if (n - at < sizeof(word) || memcmp(p + at, word, sizeof(word) - 1) != 0)
		return 0;
	at = skip_blank(p, n, at + sizeof(word) - 1);
	if (at == n || p[at] != '(')
		return 0;
	*ret_open = at + 1;
	for (at++; at < n && (quoted || p[at] != ')'); at++) {
		if (p[at] == '\\')
			at++;
		else
			quoted ^= p[at] == '"';
	}
	return at < n ? at + 1 : 0;
}

static void trim_pragmas(struct macro_text *m)
{
	size_t end, open;

	while (m->len && (end = macro_text_pragma(m->body, m->len, 0, &open))) {
		if (!m->pragma) {
			open += m->body[open] == '"';
			m->pragma = m->body + open;
			m->pragma_len = end - open;
		}
		end = skip_blank(m->body, m->len, end);
		m->body += end;
		m->len -= end;
	}
	for (size_t at = m->len; at-- > 0;) {
		if (m->body[at] != '_' || macro_text_pragma(m->body, m->len, at, &open) != m->len)
			continue;
		while (at && strchr(" \t\r\n\\", m->body[at - 1]))
			at--;
		m->len = at;
	}
}

/* text: what stands behind the macro's name. */
static void read_definition(struct macro_text *m, const char *text, size_t n)
{
	size_t at = 0;

	*m = (struct macro_text){ .has_parameters = n && *text == '(' };
	if (m->has_parameters) {
		while (at < n && text[at] != ')')
			at++;
		m->parameters = text + 1;
		m->parameters_len = at - 1;
		at += at < n;
	}
	at = skip_blank(text, n, at);
	while (n > at && strchr(" \t\r\n\\", text[n - 1]))
		n--;
	m->body = m->all = text + at;
	m->len = m->all_len = n - at;
	trim_pragmas(m);
}

bool macro_text_find(const struct token_list *l, uint32_t before, const struct name_source *names, const char *word,
		     size_t len, struct macro_text *ret)
{
	const char *text;
	size_t n;

	for (uint32_t d = before; d-- > 0;) {
		bool undef = token_directive_is(l, d, "undef");

		if (!undef && !token_directive_is(l, d, "define"))
			continue;
		text = token_directive_rest(l, d, &n);
		if (macro_text_word(text, n) != len || memcmp(text, word, len))
			continue;
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

int macro_text_parameter(const struct macro_text *m, const char *word, size_t len)
{
	int index = 0;

	for (size_t at = 0; m->has_parameters && at < m->parameters_len; at++) {
		size_t n = macro_text_word(m->parameters + at, m->parameters_len - at);

		if (n && n == len && !memcmp(m->parameters + at, word, len))
			return index;
		at += n;
		index += at < m->parameters_len && m->parameters[at] == ',';
	}
	return -1;
}

bool macro_text_is_closed(const struct macro_text *m)
{
	return m->len && (m->body[m->len - 1] == '}' || m->body[m->len - 1] == ';');
}

const char *macro_text_last(const struct macro_text *m, size_t *ret_len)
{
	size_t end = m->len, start;

	if (end && m->body[end - 1] == ')') {
		unsigned depth = 0;

		do {
			end--;
			depth += m->body[end] == ')';
			depth -= m->body[end] == '(';
		} while (depth && end);
		while (end && strchr(" \t\r\n\\", m->body[end - 1]))
			end--;
	}
	for (start = end; start && macro_text_word(m->body + start - 1, 1); start--)
		;
	/* A word may end with digits, which are none by themselves. */
	while (start && m->body[start - 1] >= '0' && m->body[start - 1] <= '9') {
		start--;
		while (start && macro_text_word(m->body + start - 1, 1))
			start--;
	}
	*ret_len = macro_text_word(m->body + start, end - start);
	return *ret_len && start + *ret_len == end ? m->body + start : NULL;
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
