/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tokens of PTX text and tables that grow: what all parser files are made of. One token of
 * lookahead, one pass; everything kept goes to the module's pool.
 */
#include "emulator/ptx/ptx-parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"

int ptx_parser_error(struct ptx_parser *p, const char *fmt, ...)
{
	char what[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return error_set(p->err, ERROR_COMPILE, "PTX line %u: %s", p->token.line, what);
}

int ptx_parser_unexpected(struct ptx_parser *p, const char *wanted)
{
	if (p->token.kind == PTX_TOKEN_END)
		return ptx_parser_error(p, "the text ends where %s should be", wanted);
	return ptx_parser_error(p, "%s expected before `%.*s`", wanted,
				(int)(p->token.len > 60 ? 60 : p->token.len), p->token.text);
}

void ptx_parser_advance(struct ptx_parser *p)
{
	ptx_lexer_next(&p->lexer, &p->token);
}

bool ptx_parser_at(const struct ptx_parser *p, char c)
{
	return p->token.kind == PTX_TOKEN_PUNCTUATION && p->token.value == (unsigned char)c;
}

bool ptx_parser_at_word(const struct ptx_parser *p, const char *word)
{
	return (p->token.kind == PTX_TOKEN_DOTTED || p->token.kind == PTX_TOKEN_IDENTIFIER) &&
	       p->token.len == strlen(word) && !memcmp(p->token.text, word, p->token.len);
}

bool ptx_parser_take(struct ptx_parser *p, char c)
{
	if (!ptx_parser_at(p, c))
		return false;
	ptx_parser_advance(p);
	return true;
}

bool ptx_parser_take_word(struct ptx_parser *p, const char *word)
{
	if (!ptx_parser_at_word(p, word))
		return false;
	ptx_parser_advance(p);
	return true;
}

int ptx_parser_expect(struct ptx_parser *p, char c)
{
	char wanted[8];

	if (ptx_parser_take(p, c))
		return 0;
	snprintf(wanted, sizeof(wanted), "`%c`", c);
	return ptx_parser_unexpected(p, wanted);
}

int ptx_parser_integer(struct ptx_parser *p, int64_t *ret)
{
	bool negative = ptx_parser_take(p, '-');

	if (p->token.kind != PTX_TOKEN_INTEGER)
		return ptx_parser_unexpected(p, "an integer");
	*ret = (int64_t)(negative ? -p->token.value : p->token.value);
	ptx_parser_advance(p);
	return 0;
}

int ptx_parser_u32(struct ptx_parser *p, uint32_t *ret)
{
	int64_t v = 0;

	if (ptx_parser_integer(p, &v))
		return -1;
	if (v < 0 || v > UINT32_MAX)
		return ptx_parser_error(p, "%lld is out of range", (long long)v);
	*ret = (uint32_t)v;
	return 0;
}

bool ptx_parser_type(const struct ptx_token *t, struct ptx_type *ret)
{
	static const struct {
		const char *name;
		struct ptx_type type;
	} types[] = {
		{ ".pred", { 0, PTX_CLASS_PREDICATE, false } },
		{ ".b8", { 1, PTX_CLASS_32, false } },
		{ ".u8", { 1, PTX_CLASS_32, false } },
		{ ".s8", { 1, PTX_CLASS_32, false } },
		{ ".b16", { 2, PTX_CLASS_32, false } },
		{ ".u16", { 2, PTX_CLASS_32, false } },
		{ ".s16", { 2, PTX_CLASS_32, false } },
		{ ".f16", { 2, PTX_CLASS_32, false } },
		{ ".bf16", { 2, PTX_CLASS_32, false } },
		{ ".b32", { 4, PTX_CLASS_32, false } },
		{ ".u32", { 4, PTX_CLASS_32, false } },
		{ ".s32", { 4, PTX_CLASS_32, false } },
		{ ".f32", { 4, PTX_CLASS_32, true } },
		{ ".f16x2", { 4, PTX_CLASS_32, false } },
		{ ".bf16x2", { 4, PTX_CLASS_32, false } },
		{ ".b64", { 8, PTX_CLASS_64, false } },
		{ ".u64", { 8, PTX_CLASS_64, false } },
		{ ".s64", { 8, PTX_CLASS_64, false } },
		{ ".f64", { 8, PTX_CLASS_64, true } },
	};

	if (t->kind != PTX_TOKEN_DOTTED)
		return false;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strlen(types[i].name) == t->len && !memcmp(types[i].name, t->text, t->len)) {
			*ret = types[i].type;
			return true;
		}
	return false;
}

void *ptx_parser_push(struct ptx_parser *p, struct ptx_table *t, size_t size)
{
	char *at;

	if (t->count == t->cap) {
		size_t cap = t->cap ? t->cap * 2 : 64;
		void *items = realloc(t->items, cap * size);

		if (!items) {
			error_set(p->err, ERROR_MEMORY, "out of memory while parsing PTX");
			return NULL;
		}
		t->items = items;
		t->cap = cap;
	}
	at = (char *)t->items + t->count++ * size;
	memset(at, 0, size);
	return at;
}

void *ptx_parser_keep(struct ptx_parser *p, const struct ptx_table *t, size_t size)
{
	void *copy = mem_pool_array(&p->m->pool, t->count ? t->count : 1, size);

	if (!copy)
		error_set(p->err, ERROR_MEMORY, "out of memory while parsing PTX");
	else if (t->count)
		memcpy(copy, t->items, t->count * size);
	return copy;
}

char *ptx_parser_text(struct ptx_parser *p, const struct ptx_token *t)
{
	char *text = mem_pool_strndup(&p->m->pool, t->text, t->len);

	if (!text)
		error_set(p->err, ERROR_MEMORY, "out of memory while parsing PTX");
	return text;
}

bool ptx_space_of(const struct ptx_token *t, enum ptx_space *ret)
{
	static const struct {
		const char *name;
		enum ptx_space space;
	} spaces[] = {
		{ ".global", PTX_SPACE_GLOBAL }, { ".const", PTX_SPACE_CONST },
		{ ".shared", PTX_SPACE_SHARED }, { ".local", PTX_SPACE_LOCAL },
		{ ".param", PTX_SPACE_PARAM },
	};

	for (size_t i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++)
		if (t->kind == PTX_TOKEN_DOTTED && strlen(spaces[i].name) == t->len &&
		    !memcmp(spaces[i].name, t->text, t->len)) {
			*ret = spaces[i].space;
			return true;
		}
	return false;
}
