/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pop removes all of its family down to the last push; a setting replaces an earlier one on the
 * same level. What a pragma means is left to clang.
 */
#include "compiler/session/pragma-state.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/mem-pool.h"
#include "common/code/unit.h"
#include "compiler/session/session.h"

#define ALL (-1)

struct pragma_kind {
	const char *words, *family;
	int key;
	bool device;
};

static const struct pragma_kind kinds[] = {
#define PRAGMA(words, family, key, device) { words, family, key, device },
#include "compiler/session/pragmas.def"
#undef PRAGMA
};

#define KINDS (sizeof(kinds) / sizeof(*kinds))
_Static_assert(KINDS <= PRAGMA_FAMILIES, "more families than there is room for");

static bool in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Returns the text behind the word; NULL when the text does not begin with it. */
static const char *behind_word(const char *text, const char *word, size_t len)
{
	text += strspn(text, " \t");
	if (strncmp(text, word, len) != 0 || in_word(text[len]))
		return NULL;
	return text + len;
}

static const char *behind_words(const char *text, const char *words)
{
	while (text && *words) {
		size_t len = strcspn(words, " ");

		text = behind_word(text, words, len);
		words += len;
		words += strspn(words, " ");
	}
	return text;
}

static const struct pragma_kind *find_kind(const char *text, const char **ret_rest)
{
	for (size_t i = 0; i < KINDS; i++) {
		*ret_rest = behind_words(text, kinds[i].words);
		if (*ret_rest)
			return &kinds[i];
	}
	return NULL;
}

/* Joins the lines of a directive. */
static char *on_one_line(const char *text, size_t len, struct mem_pool *pool)
{
	char *copy = mem_pool_strndup(pool, text, len);

	for (char *p = copy; p && *p; p++)
		if (*p == '\n' || *p == '\r' || (*p == '\\' && strchr("\r\n", p[1])))
			*p = ' ';
	return copy;
}

static bool has_word(const char *text, const char *word)
{
	for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
		if (!in_word(at[strlen(word)]) && (at == text || !in_word(at[-1])))
			return true;
	return false;
}

static void append(struct pragma_state *s, const struct pragma_kind *kind, const char *text)
{
	if (s->n == s->cap) {
		size_t cap = s->cap ? 2 * s->cap : 16;
		struct pragma_line *grown = realloc(s->at, cap * sizeof(*grown));

		s->failed |= !grown;
		if (!grown)
			return;
		s->at = grown;
		s->cap = cap;
	}
	s->at[s->n++] = (struct pragma_line){ kind, text };
}

static void take_out(struct pragma_state *s, size_t i)
{
	memmove(s->at + i, s->at + i + 1, (--s->n - i) * sizeof(*s->at));
}

static bool same_family(const struct pragma_kind *a, const struct pragma_kind *b)
{
	return !strcmp(a->family, b->family);
}

static bool is_push(const struct pragma_line *line)
{
	return line->kind->key != ALL && has_word(line->text, "push");
}

/* Returns what `pack(pop, 2)` sets besides, "pack(2)"; NULL for nothing. */
static const char *set_by_pop(struct pragma_state *s, const struct pragma_kind *kind,
			      const char *rest)
{
	const char *digits = rest + strcspn(rest, "0123456789");
	size_t n = strspn(digits, "0123456789");
	cleanup_buffer struct buffer text = BUFFER_INIT;

	if (strcmp(kind->words, "pack") != 0 || !n)
		return NULL;
	buffer_printf(&text, "pack(%.*s)", (int)n, digits);
	return mem_pool_strdup(s->pool, buffer_text(&text));
}

static void set(struct pragma_state *s, const struct pragma_kind *kind, const char *text);

static void pop(struct pragma_state *s, const struct pragma_kind *kind, const char *rest)
{
	const char *then = set_by_pop(s, kind, rest);
	size_t low = s->n;

	for (size_t i = 0; i < s->n; i++)
		if (same_family(s->at[i].kind, kind) && is_push(&s->at[i]))
			low = i;
	for (size_t i = s->n; i-- > low;)
		if (same_family(s->at[i].kind, kind))
			take_out(s, i);
	if (then)
		set(s, kind, then);
}

/* Returns the words that identify what is set: `ignored "-Wformat"` sets -Wformat. */
static const char *key_of(const struct pragma_kind *kind, const char *text, size_t *ret_len)
{
	const char *rest;

	find_kind(text, &rest);
	for (int i = 1; i < kind->key; i++) {
		rest += strspn(rest, " \t(");
		rest += strcspn(rest, " \t(");
	}
	rest += strspn(rest, " \t(");
	*ret_len = kind->key ? strcspn(rest, " \t(") : 0;
	return rest;
}

static void set(struct pragma_state *s, const struct pragma_kind *kind, const char *text)
{
	size_t len, have_len;
	const char *key = key_of(kind, text, &len);

	for (size_t i = s->n; kind->key != ALL && i-- > 0;) {
		const char *have;

		if (!same_family(s->at[i].kind, kind))
			continue;
		if (is_push(&s->at[i]))
			break;
		have = key_of(s->at[i].kind, s->at[i].text, &have_len);
		if (have_len == len && !memcmp(have, key, len))
			take_out(s, i);
	}
	append(s, kind, text);
}

static void apply(void *data, const char *text)
{
	struct pragma_state *s = data;
	const char *rest;
	const struct pragma_kind *kind = find_kind(text, &rest);

	if (!kind)
		return;
	if (kind->key == ALL) {
		/* An alias is a definition of its own cell. */
		if (strchr(rest, '='))
			return;
		for (size_t i = 0; i < s->n; i++)
			if (!strcmp(s->at[i].text, text))
				return;
		append(s, kind, text);
	} else if (has_word(rest, "pop")) {
		pop(s, kind, rest);
	} else if (has_word(rest, "push")) {
		append(s, kind, text);
	} else if (!has_word(rest, "show")) {
		set(s, kind, text);
	}
}

void pragma_state_add(struct pragma_state *s, const char *text)
{
	char *line = on_one_line(text, strlen(text), s->pool);

	s->failed |= !line;
	if (line)
		apply(s, line);
}

void pragma_state_copy(struct pragma_state *s, const struct pragma_state *from)
{
	*s = (struct pragma_state){ .pool = from->pool };
	for (size_t i = 0; i < from->n; i++)
		append(s, from->at[i].kind, from->at[i].text);
}

/* Reads a state, which has one directive per line. */
static void read_lines(struct pragma_state *s, const char *lines)
{
	static const char start[] = "#pragma ";

	while ((lines = strstr(lines, start))) {
		const char *rest, *text;
		size_t len = strcspn(lines += strlen(start), "\n");
		const struct pragma_kind *kind;

		text = mem_pool_strndup(s->pool, lines, len);
		kind = text ? find_kind(text, &rest) : NULL;
		if (kind)
			append(s, kind, text);
		s->failed |= !text;
	}
}

void pragma_state_init(struct pragma_state *s, const struct compiler_session *session,
		       struct mem_pool *pool)
{
	*s = (struct pragma_state){ .pool = pool };
	for (uint32_t i = 0; i < session_count(session); i++)
		if (session_at(session, i)->kind == DECLARATION_STATE &&
		    !session_is_hidden(session, i))
			read_lines(s, session_at(session, i)->host);
}

void pragma_state_release(struct pragma_state *s)
{
	free(s->at);
	*s = (struct pragma_state){ 0 };
}

static void write_some(const struct pragma_state *s, const char *family, bool device,
		       struct buffer *out)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct pragma_kind *kind = s->at[i].kind;

		if ((!family || !strcmp(kind->family, family)) && (!device || kind->device))
			buffer_printf(out, "\n#pragma %s\n", s->at[i].text);
	}
}

void pragma_state_write(const struct pragma_state *s, bool device, struct buffer *out)
{
	write_some(s, NULL, device, out);
}

/* Returns the families by number; NULL behind the last. */
static const char *family_at(size_t number)
{
	size_t n = 0;

	for (size_t i = 0; i < KINDS; i++) {
		bool first = true;

		for (size_t k = 0; k < i; k++)
			first &= !same_family(&kinds[k], &kinds[i]);
		if (first && n++ == number)
			return kinds[i].family;
	}
	return NULL;
}

static char *directives_of(const struct pragma_state *s, const char *family, bool device,
			   struct mem_pool *pool)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;

	write_some(s, family, device, &b);
	return buffer_check(&b, NULL) ? NULL : mem_pool_strdup(pool, buffer_text(&b));
}

int pragma_state_changes(const struct pragma_state *s, const struct pragma_state *before,
			 void *context,
			 void (*changed)(void *context, const char *family, const char *host,
					 const char *device))
{
	const char *family;

	for (size_t i = 0; (family = family_at(i)); i++) {
		char *was = directives_of(before, family, false, s->pool),
		     *is = directives_of(s, family, false, s->pool);
		char *device = directives_of(s, family, true, s->pool);

		if (!was || !is || !device)
			return -1;
		if (strcmp(was, is) != 0)
			changed(context, family, is, device);
	}
	return s->failed || before->failed ? -1 : 0;
}
