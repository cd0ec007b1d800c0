/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each test looks at one token and its neighbours, in one pass, before clang has seen the text. A
 * cell that is missed costs a compilation as C, which refuses it. A cell of C that is taken for
 * C++ may get another meaning, so words such as `class`, brackets and colons count only in
 * positions that C does not have. A call of the CUDA runtime is valid in both languages and
 * therefore has a question of its own. Which language defined a function last is found by going
 * through the session's declarations from the newest one back.
 */
#define _GNU_SOURCE
#include "compiler/frontend/beyond-c.h"

#include <ctype.h>
#include <string.h>

#include "compiler/session/session.h"
#include "compiler/text/token.h"
#include "compiler/text/words.h"

/* Tells whether a value may begin here, which excludes arrays and attributes. */
static bool begins_value(const struct token_list *l, uint32_t i)
{
	if (token_is(l, i + 1, "[") || (i && token_is(l, i - 1, "[")))
		return false;
	if (!i || !token_is_name(l, i - 1))
		return !i || !(token_is(l, i - 1, ")") || token_is(l, i - 1, "]") ||
			       l->at[i - 1].kind == TOKEN_STRING);
	return word_class_of(token_text(l, i - 1), token_len(l, i - 1)) == WORD_STATEMENT;
}

/* Recognises `[=] __device__ (int i) { ... }`: a bracket, then marks or parameters, and a body. */
static bool is_lambda(const struct token_list *l, uint32_t i)
{
	uint32_t at = token_behind(l, i), behind = at;

	if (!token_is(l, i, "[") || l->at[i].match == TOKEN_NONE || !begins_value(l, i))
		return false;
	while (token_is(l, at, "__device__") || token_is(l, at, "__host__"))
		at++;
	if (!token_is(l, at, "(") && at == behind)
		return false;
	while (at < l->n && !token_is(l, at, "{") && !token_is(l, at, ";") && !token_is(l, at, ")"))
		at = token_is(l, at, "(") ? token_behind(l, at) : at + 1;
	return token_is(l, at, "{");
}

/* Tells whether a declaration is that function: its key (compiler/clang/cells/clang-pieces.cc) is
 * its name and the types of its parameters. */
static bool is_function_of_cpp(const struct declaration *d, const char *name, size_t len)
{
	return d->kind == DECLARATION_CPP && !strncmp(d->name, name, len) && d->name[len] == '(' &&
	       strncmp(d->host, "extern \"C\"", strlen("extern \"C\""));
}

bool beyond_c_defines(const struct compiler_session *session, const char *name)
{
	size_t len = strlen(name);
	uint32_t of_c = session_index(session, name, len);

	for (uint32_t k = session_count(session); k-- > (of_c == TOKEN_NONE ? 0 : of_c);)
		if (is_function_of_cpp(session_at(session, k), name, len))
			return true;
	return false;
}

/* Recognises a mark of CUDA, or a launch. */
static bool is_of_cuda(const struct token_list *l, uint32_t i)
{
	static const char *const marks[] = { "__global__",  "__device__", "__constant__",
					     "__managed__", "__shared__", "<<<" };

	for (size_t k = 0; k < sizeof(marks) / sizeof(*marks); k++)
		if (token_is(l, i, marks[k]))
			return true;
	return false;
}

/* Recognises the start of a declaration that only C++ has. `class` and its like are names of C
 * elsewhere. */
static bool is_of_cpp(const struct token_list *l, uint32_t i)
{
	if (token_is(l, i, "template"))
		return token_is(l, i + 1, "<");
	return (token_is(l, i, "class") || token_is(l, i, "namespace") ||
		token_is(l, i, "using")) &&
	       words_at_specifier(l, i);
}

uint32_t beyond_c_cuda_line(const struct token_list *l)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (is_of_cuda(l, i))
			return l->at[i].line;
	return 0;
}

/* Recognises `#ifdef __CUDACC__`, which tests for CUDA. */
static bool asks_for_cuda(const struct token_list *l, uint32_t i)
{
	size_t n;
	const char *rest = token_directive_rest(l, i, &n);

	return (token_directive_is(l, i, "ifdef") || token_directive_is(l, i, "ifndef") ||
		token_directive_is(l, i, "if")) &&
	       (memmem(rest, n, "__CUDACC__", strlen("__CUDACC__")) ||
		memmem(rest, n, "__NVCC__", strlen("__NVCC__")));
}

/* Recognises calls such as cudaMalloc(): `cudaMalloc(&p, n)` and default arguments are C++, as in a
 * `.cu` file. */
static bool is_of_runtime(const struct compiler_session *s, const struct token_list *l, uint32_t i)
{
	return token_is(l, i + 1, "(") && token_len(l, i) > 4 &&
	       !memcmp(token_text(l, i), "cuda", 4) &&
	       isupper((unsigned char)token_text(l, i)[4]) &&
	       header_names_kind(&s->headers, token_text(l, i), token_len(l, i));
}

/*
 * Recognises `geo::one`, `(::one)`, at which clang's C parser does not stop. The colons of assembly
 * are behind a string or a parenthesis.
 */
static bool is_scope(const struct token_list *l, uint32_t i)
{
	bool is_assembly = i && (l->at[i - 1].kind == TOKEN_STRING || token_is(l, i - 1, ")"));

	return token_is(l, i, "::") && token_is_name(l, i + 1) && !is_assembly;
}

bool beyond_c_is_likely(const struct token_list *l, const struct compiler_session *session)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (is_of_runtime(session, l, i))
			return true;
	return false;
}

bool beyond_c(const struct token_list *l)
{
	for (uint32_t i = 0; i < l->n; i++) {
		bool is_directive = l->at[i].kind == TOKEN_DIRECTIVE;

		if (is_directive ? asks_for_cuda(l, i)
				 : is_lambda(l, i) || is_of_cuda(l, i) || is_of_cpp(l, i) ||
					   is_scope(l, i))
			return true;
	}
	return false;
}
