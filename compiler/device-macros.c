/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds over the text, each of which expands what the one before has brought, until a round finds nothing. */
#define _GNU_SOURCE
#include "compiler/device-macros.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "common/buffer.h"
#include "common/cleanup.h"
#include "common/error.h"
#include "common/mem-pool.h"
#include "compiler/macro-text.h"
#include "compiler/split.h"
#include "compiler/token.h"

#define ROUNDS_MAX 8
#define DEPTH_MAX 4

static bool is_mark(const char *word, size_t len)
{
	static const char *const marks[] = { "__global__",  "__device__", "__host__",
					     "__constant__", "__managed__", "__shared__" };

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (strlen(marks[i]) == len && !memcmp(marks[i], word, len))
			return true;
	return false;
}

static bool find_marked(const struct token_list *l, uint32_t before, const struct name_source *names, const char *word,
			size_t len, unsigned depth, struct macro_text *ret);

/* Has the text a mark, or a macro that has one? */
static bool has_mark(const struct token_list *l, uint32_t before, const struct name_source *names, const struct macro_text *m,
		     unsigned depth)
{
	struct macro_text inner;

	for (size_t at = 0, n; at < m->len; at += n ? n : 1) {
		n = macro_text_word(m->body + at, m->len - at);
		if (n && (is_mark(m->body + at, n) ||
			  (depth && find_marked(l, before, names, m->body + at, n, depth - 1, &inner))))
			return true;
	}
	return false;
}

/*
 * Of `#ifdef __CUDACC__ #define HD __host__ __device__ #else #define HD #endif` the one with the marks is meant, whichever of
 * the compilers reads it.
 */
static bool find_marked(const struct token_list *l, uint32_t before, const struct name_source *names, const char *word,
			size_t len, unsigned depth, struct macro_text *ret)
{
	for (bool conditional = true; conditional;) {
		if (!macro_text_find(l, before, names, word, len, ret) || ret->is_undefined)
			return false;
		if (has_mark(l, before, names, ret, depth))
			return true;
		while (before && !token_directive_is(l, before - 1, "else") && !token_directive_is(l, before - 1, "elif") &&
		       !token_directive_is(l, before - 1, "if") && !token_directive_is(l, before - 1, "ifdef") &&
		       !token_directive_is(l, before - 1, "ifndef"))
			before--;
		conditional = before && (token_directive_is(l, before - 1, "else") || token_directive_is(l, before - 1, "elif"));
		before -= conditional;
	}
	return false;
}

bool device_macros_find(const struct token_list *l, uint32_t before, const struct name_source *names, const char *word,
			size_t len, struct macro_text *ret)
{
	return find_marked(l, before, names, word, len, DEPTH_MAX, ret);
}

struct use {
	const struct token_list *l;
	struct macro_text macro;
	uint32_t open, end; /* tokens: the `(` of its arguments, or TOKEN_NONE; behind the use */
};

/* The text of the n-th argument; `rest`: with all that follow it. */
static const char *argument(const struct use *u, int n, bool rest, size_t *ret_len)
{
	const struct token_list *l = u->l;
	uint32_t close = u->end - 1, at = u->open + 1, first = at;

	for (; at < close; at = token_is(l, at, "(") ? token_behind(l, at) : at + 1) {
		if (!token_is(l, at, ","))
			continue;
		if (!n && !rest)
			break;
		if (n && !--n)
			first = at + 1;
	}
	*ret_len = !n && at > first ? l->at[at - 1].end - l->at[first].start : 0;
	return *ret_len ? token_text(l, first) : "";
}

/* Which parameter the word is; -1: none. *ret_rest: it is __VA_ARGS__. */
static int parameter(const struct macro_text *m, const char *word, size_t len, bool *ret_rest)
{
	const char *dots = m->has_parameters ? memmem(m->parameters, m->parameters_len, "...", 3) : NULL;
	int n = 0;

	*ret_rest = dots && len == 11 && !memcmp(word, "__VA_ARGS__", 11);
	if (!*ret_rest)
		return macro_text_parameter(m, word, len);
	for (const char *at = m->parameters; at < dots; at++)
		n += *at == ',';
	return n;
}

/* On one line; a line comment ends there. */
static void put_flat(struct buffer *out, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (text[i] == '/' && i + 1 < n && text[i + 1] == '/')
			while (i + 1 < n && text[i + 1] != '\n')
				i++;
		else if (text[i] == '\n' || (text[i] == '\\' && i + 1 < n && text[i + 1] == '\n'))
			buffer_putc(out, ' ');
		else
			buffer_putc(out, text[i]);
	}
}

static void put_string(struct buffer *out, const char *text, size_t n)
{
	buffer_putc(out, '"');
	for (size_t i = 0; i < n; i++)
		buffer_printf(out, "%s%c", text[i] == '"' || text[i] == '\\' ? "\\" : "", text[i] == '\n' ? ' ' : text[i]);
	buffer_putc(out, '"');
}

static size_t string_length(const char *p, size_t n)
{
	size_t i = 1;

	while (i < n && p[i] != *p)
		i += p[i] == '\\' ? 2 : 1;
	return i < n ? i + 1 : n;
}

static size_t number_length(const char *p, size_t n)
{
	size_t i = 0;

	while (i < n && (isalnum((unsigned char)p[i]) || p[i] == '.' || p[i] == '_'))
		i++;
	return i;
}

static size_t blanks(const char *p, size_t n)
{
	size_t i = 0;

	while (i < n && strchr(" \t\r\n\\", p[i]))
		i++;
	return i;
}

static void trim_end(struct buffer *out)
{
	while (out->len && strchr(" \t", out->data[out->len - 1]))
		out->data[--out->len] = '\0';
}

/* # in front of a parameter makes a string of it, ## between two words one of them. */
static void put_body(const struct use *u, struct buffer *out)
{
	const struct macro_text *m = &u->macro;
	bool to_string = false;

	for (size_t at = 0, n; at < m->len; at += n) {
		const char *p = m->body + at, *text;
		bool rest;
		size_t len;
		int which;

		n = macro_text_word(p, m->len - at);
		which = n ? parameter(m, p, n, &rest) : -1;
		if (which >= 0) {
			text = argument(u, which, rest, &len);
			to_string ? put_string(out, text, len) : put_flat(out, text, len);
			to_string = false;
		} else if (n || isdigit((unsigned char)*p)) {
			n = n ? n : number_length(p, m->len - at);
			buffer_append(out, p, n);
		} else if (*p == '"' || *p == '\'') {
			buffer_append(out, p, n = string_length(p, m->len - at));
		} else if (*p == '#' && at + 1 < m->len && p[1] == '#') {
			trim_end(out);
			n = 2 + blanks(p + 2, m->len - at - 2);
		} else if (*p == '#' && m->has_parameters) {
			to_string = true;
			n = 1 + blanks(p + 1, m->len - at - 1);
		} else if ((n = blanks(p, m->len - at))) {
			buffer_putc(out, ' ');
		} else if (*p == '/' && at + 1 < m->len && p[1] == '/') {
			while (at + n < m->len && p[n] != '\n')
				n++;
		} else {
			buffer_append(out, p, n = 1);
		}
	}
}

static bool use_at(const struct token_list *l, uint32_t i, const struct name_source *names, struct use *ret)
{
	if (!split_at_identifier(l, i) || !device_macros_find(l, i, names, token_text(l, i), token_len(l, i), &ret->macro))
		return false;
	ret->l = l;
	ret->open = ret->macro.has_parameters ? i + 1 : TOKEN_NONE;
	if (ret->macro.has_parameters && !token_is(l, i + 1, "("))
		return false;
	ret->end = ret->macro.has_parameters ? token_behind(l, i + 1) : i + 1;
	return true;
}

/* One round; false when there is nothing to expand. */
static bool expand(const struct token_list *l, const struct name_source *names, struct buffer *out)
{
	uint32_t copied = 0;
	struct use u;

	for (uint32_t i = 0; i < l->n;) {
		if (token_is(l, i, "{") || token_is(l, i, "(") || token_is(l, i, "[")) {
			i = token_behind(l, i);
			continue;
		}
		if (!use_at(l, i, names, &u)) {
			i++;
			continue;
		}
		buffer_append(out, l->text + copied, l->at[i].start - copied);
		put_body(&u, out);
		copied = l->at[u.end - 1].end;
		for (uint32_t line = l->at[i].line; line < l->at[u.end - 1].line; line++)
			buffer_putc(out, '\n');
		i = u.end;
	}
	buffer_append(out, l->text + copied, l->len - copied);
	return copied != 0;
}

const char *device_macros_expand(const char *text, const struct name_source *names, struct mem_pool *pool, struct error *err)
{
	for (unsigned round = 0; round < ROUNDS_MAX; round++) {
		cleanup_buffer struct buffer out = BUFFER_INIT;
		struct token_list l;

		if (token_list_init(&l, text, strlen(text), pool, err))
			return NULL;
		if (!expand(&l, names, &out))
			return text;
		if (buffer_check(&out, err))
			return NULL;
		text = mem_pool_strdup(pool, buffer_text(&out));
		if (!text) {
			error_set(err, ERROR_MEMORY, "out of memory for the text of a cell");
			return NULL;
		}
	}
	return text;
}
