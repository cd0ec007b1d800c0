/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One pass over the bytes, no allocation. Comments and line ends are skipped between tokens; the
 * only state is the position and the line number.
 */
#include "common/cuda/ptx-lexer.h"

#include <stdlib.h>
#include <string.h>

void ptx_lexer_init(struct ptx_lexer *lx, const char *text, size_t len)
{
	lx->at = text;
	lx->end = text + len;
	lx->line = 1;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       c == '$' || c == '%';
}

static int hex_value(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

static void skip_block_comment(struct ptx_lexer *lx)
{
	lx->at += 2;
	while (lx->at < lx->end) {
		if (*lx->at == '*' && lx->end - lx->at > 1 && lx->at[1] == '/') {
			lx->at += 2;
			return;
		}
		if (*lx->at == '\n')
			lx->line++;
		lx->at++;
	}
}

static void skip_blank(struct ptx_lexer *lx)
{
	while (lx->at < lx->end) {
		char c = *lx->at;

		if (c == '\n') {
			lx->line++;
			lx->at++;
		} else if (c == ' ' || c == '\t' || c == '\r' || c == '\0') {
			lx->at++;
		} else if (c == '/' && lx->end - lx->at > 1 && lx->at[1] == '/') {
			const char *eol = memchr(lx->at, '\n', (size_t)(lx->end - lx->at));

			lx->at = eol ? eol : lx->end;
		} else if (c == '/' && lx->end - lx->at > 1 && lx->at[1] == '*') {
			skip_block_comment(lx);
		} else {
			return;
		}
	}
}

/* Reads 0fXXXXXXXX or 0dXXXXXXXXXXXXXXXX; false when the digits are wrong. */
static bool lex_float_bits(struct ptx_lexer *lx, struct ptx_token *t)
{
	bool single = lx->at[1] == 'f' || lx->at[1] == 'F';
	int digits = single ? 8 : 16;

	if (lx->end - lx->at < digits + 2)
		return false;
	t->value = 0;
	for (int i = 0; i < digits; i++) {
		int v = hex_value(lx->at[2 + i]);

		if (v < 0)
			return false;
		t->value = t->value << 4 | (uint64_t)v;
	}
	lx->at += digits + 2;
	t->kind = PTX_TOKEN_FLOAT;
	t->single = single;
	return true;
}

static void lex_decimal_float(struct ptx_lexer *lx, struct ptx_token *t)
{
	char text[64];
	size_t n = 0;
	double value;

	while (lx->at < lx->end && n < sizeof(text) - 1) {
		char c = *lx->at;
		bool sign =
			(c == '+' || c == '-') && n && (text[n - 1] == 'e' || text[n - 1] == 'E');

		if (!is_digit(c) && c != '.' && c != 'e' && c != 'E' && !sign)
			break;
		text[n++] = c;
		lx->at++;
	}
	text[n] = '\0';
	value = strtod(text, NULL);
	memcpy(&t->value, &value, sizeof(value));
	t->kind = PTX_TOKEN_FLOAT;
	t->single = false;
}

static bool looks_decimal_float(const struct ptx_lexer *lx)
{
	const char *p = lx->at;

	while (p < lx->end && is_digit(*p))
		p++;
	return lx->end - p > 1 && ((*p == '.' && is_digit(p[1])) || *p == 'e' || *p == 'E');
}

static void lex_number(struct ptx_lexer *lx, struct ptx_token *t)
{
	char second = lx->end - lx->at > 1 ? lx->at[1] : '\0';
	unsigned base = 10;

	if (*lx->at == '0' && second && strchr("fFdD", second)) {
		if (!lex_float_bits(lx, t)) {
			/* Callers that skip text depend on every token having a length. */
			lx->at += 2;
			t->kind = PTX_TOKEN_BAD;
		}
		return;
	}
	if (*lx->at == '0' && (second == 'x' || second == 'X')) {
		base = 16;
		lx->at += 2;
	} else if (*lx->at == '0' && (second == 'b' || second == 'B')) {
		base = 2;
		lx->at += 2;
	} else if (looks_decimal_float(lx)) {
		lex_decimal_float(lx, t);
		return;
	} else if (*lx->at == '0' && is_digit(second)) {
		base = 8;
	}
	t->kind = PTX_TOKEN_INTEGER;
	t->value = 0;
	while (lx->at < lx->end) {
		int v = hex_value(*lx->at);

		if (v < 0 || (unsigned)v >= base)
			break;
		t->value = t->value * base + (uint64_t)v;
		lx->at++;
	}
	if (lx->at < lx->end && *lx->at == 'U')
		lx->at++;
}

static void lex_string(struct ptx_lexer *lx, struct ptx_token *t)
{
	const char *start = ++lx->at;

	while (lx->at < lx->end && *lx->at != '"') {
		if (*lx->at == '\\' && lx->end - lx->at > 1)
			lx->at++;
		if (*lx->at == '\n')
			lx->line++;
		lx->at++;
	}
	t->kind = lx->at < lx->end ? PTX_TOKEN_STRING : PTX_TOKEN_BAD;
	t->text = start;
	t->len = (uint32_t)(lx->at - start);
	if (lx->at < lx->end)
		lx->at++;
}

static void lex_word(struct ptx_lexer *lx)
{
	while (lx->at < lx->end) {
		if (is_word(*lx->at))
			lx->at++;
		else if (*lx->at == ':' && lx->end - lx->at > 2 && lx->at[1] == ':' &&
			 is_word(lx->at[2]))
			lx->at += 2;
		else
			return;
	}
}

void ptx_lexer_next(struct ptx_lexer *lx, struct ptx_token *t)
{
	char c;

	skip_blank(lx);
	t->line = lx->line;
	t->text = lx->at;
	t->value = 0;
	t->single = false;
	t->len = 0;
	if (lx->at >= lx->end) {
		t->kind = PTX_TOKEN_END;
		return;
	}
	c = *lx->at;
	if (c == '"') {
		lex_string(lx, t);
		return;
	}
	if (is_digit(c)) {
		lex_number(lx, t);
	} else if (is_word(c)) {
		lex_word(lx);
		t->kind = PTX_TOKEN_IDENTIFIER;
	} else if (c == '.' && lx->end - lx->at > 1 && is_word(lx->at[1])) {
		lx->at++;
		lex_word(lx);
		t->kind = PTX_TOKEN_DOTTED;
	} else {
		t->kind = PTX_TOKEN_PUNCTUATION;
		t->value = (unsigned char)c;
		lx->at++;
	}
	t->len = (uint32_t)(lx->at - t->text);
}
