/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tokens of PTX (PTX ISA, chapter 4 "Syntax"). A dotted word such as ".global" or ".shared::cta" is
 * one token; an opcode with its modifiers is an identifier followed by dotted words. Tokens are
 * slices of the text.
 */
#ifndef CGPU_COMMON_CUDA_PTX_LEXER_H
#define CGPU_COMMON_CUDA_PTX_LEXER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ptx_token_kind {
	PTX_TOKEN_END,
	PTX_TOKEN_IDENTIFIER,
	PTX_TOKEN_DOTTED, /* text includes the dot */
	PTX_TOKEN_INTEGER,
	PTX_TOKEN_FLOAT,  /* 0f, 0d or decimal; value holds the bits of a binary64, or of a binary32
			     if `single` */
	PTX_TOKEN_STRING, /* text without the quotes */
	PTX_TOKEN_PUNCTUATION, /* one character, in value */
	PTX_TOKEN_BAD,
};

struct ptx_token {
	enum ptx_token_kind kind;
	bool single;
	uint32_t line;
	uint32_t len;
	const char *text;
	uint64_t value;
};

struct ptx_lexer {
	const char *at, *end;
	uint32_t line;
};

void ptx_lexer_init(struct ptx_lexer *lx, const char *text, size_t len);
void ptx_lexer_next(struct ptx_lexer *lx, struct ptx_token *ret);

#endif
