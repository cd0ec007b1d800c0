/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/cpp-syntax.h"

#include <stdio.h>
#include <string.h>

#include "common/mem-pool.h"

#define IS_ONE_OF(l, i, words) is_one_of(l, i, words, sizeof(words) / sizeof(*(words)))

static bool is_one_of(const struct token_list *l, uint32_t i, const char *const *words, size_t n)
{
	for (size_t k = 0; k < n; k++)
		if (token_is(l, i, words[k]))
			return true;
	return false;
}

static void replace(const struct token_list *l, uint32_t first, uint32_t last, const char *with, struct edit_list *edits)
{
	edit_list_add(edits, l->at[first].start, l->at[last].end, with);
}

/* `static_cast<float *>(x)`: ((float *)(x)) */
static bool edit_cast(const struct token_list *l, uint32_t i, struct edit_list *edits)
{
	static const char *const casts[] = { "static_cast", "reinterpret_cast", "const_cast" };
	uint32_t close = i + 2;

	if (!IS_ONE_OF(l, i, casts) || !token_is(l, i + 1, "<"))
		return false;
	while (token_is_name(l, close) || token_is(l, close, "*"))
		close++;
	if (!token_is(l, close, ">") || !token_is(l, close + 1, "(") || l->at[close + 1].match == TOKEN_NONE)
		return true;
	replace(l, i, i + 1, "((", edits);
	replace(l, close, close, ")", edits);
	/* The bracket itself, so that the edit is gone where the whole initialiser is. */
	replace(l, l->at[close + 1].match, l->at[close + 1].match, "))", edits);
	return true;
}

bool cpp_syntax_is_auto(const struct token_list *l, uint32_t i)
{
	return token_is(l, i, "auto") && split_at_identifier(l, i + 1) && token_is(l, i + 2, "=");
}

/* Functions and types that C has under the same name. */
static bool edit_std(const struct token_list *l, uint32_t i, struct edit_list *edits)
{
	static const char *const names[] = {
		"min",	  "max",     "abs",    "fabs",	 "sqrt",    "cbrt",   "pow",	"exp",	   "exp2",   "log",	"log2",
		"log10",  "sin",     "cos",    "tan",	 "asin",    "acos",   "atan",	"atan2",   "sinh",   "cosh",	"tanh",
		"floor",  "ceil",    "round",  "trunc",	 "fmod",    "fmin",   "fmax",	"hypot",   "isnan",  "isinf",	"isfinite",
		"printf", "fprintf", "puts",   "memcpy", "memset",  "memcmp", "strlen", "strcmp",  "malloc", "calloc",	"free",
		"exit",	  "rand",    "srand",  "atoi",	 "atof",    "time",   "size_t", "uint8_t", "int8_t", "uint16_t", "int16_t",
		"int32_t", "uint32_t", "int64_t", "uint64_t",
	};

	if (!token_is(l, i, "std") || !token_is(l, i + 1, "::") || !IS_ONE_OF(l, i + 2, names))
		return false;
	replace(l, i, i + 1, "", edits);
	return true;
}

/* Behind a type of plain data at i; i itself when it is another one, whose constructor would have to run. */
static uint32_t behind_plain_type(const struct token_list *l, uint32_t i)
{
	static const char *const plain[] = {
		"unsigned", "signed",  "int",	 "char",     "short",	"long",	    "float",	"double",   "bool",
		"size_t",   "int8_t",  "uint8_t", "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t",  "uint64_t",
		"float2",   "float3",  "float4", "double2",  "int2",	"int3",	    "int4",	"uchar4",   "cudaStream_t",
		"cudaEvent_t",
	};
	uint32_t end = i;

	while (IS_ONE_OF(l, end, plain))
		end++;
	if (end == i && split_at_identifier(l, i) && token_is(l, i + 1, "*"))
		end = i + 1;
	while (end > i && token_is(l, end, "*"))
		end++;
	return end;
}

/* `new float[n]`, `new int`, `new int[n]()`: memory of malloc() or calloc(). */
static bool edit_new(const struct token_list *l, uint32_t i, struct mem_pool *pool, struct edit_list *edits)
{
	uint32_t end = token_is(l, i, "new") ? behind_plain_type(l, i + 1) : i + 1, close;
	char text[300];
	int len;

	if (end <= i + 1)
		return false;
	len = (int)(l->at[end - 1].end - l->at[i + 1].start);
	if (token_is(l, end, "[") && l->at[end].match != TOKEN_NONE) {
		bool zeroed;

		close = l->at[end].match;
		zeroed = token_is(l, close + 1, "(") && token_is(l, close + 2, ")");
		snprintf(text, sizeof(text), "((%.*s *)%s(sizeof(%.*s)%s(", len, token_text(l, i + 1), zeroed ? "calloc" : "malloc",
			 len, token_text(l, i + 1), zeroed ? ", " : " * ");
		replace(l, i, end, mem_pool_strdup(pool, text), edits);
		replace(l, close, zeroed ? close + 2 : close, ")))", edits);
	} else if (!token_is(l, end, "(") || token_is(l, end + 1, ")")) {
		snprintf(text, sizeof(text), "((%.*s *)calloc(1, sizeof(%.*s)))", len, token_text(l, i + 1), len,
			 token_text(l, i + 1));
		replace(l, i, token_is(l, end, "(") ? end + 1 : end - 1, mem_pool_strdup(pool, text), edits);
	}
	return true;
}

bool cpp_syntax_is_delete(const struct token_list *l, uint32_t i)
{
	uint32_t end = i + 1;

	if (!token_is(l, i, "delete") ||
	    (i && !token_is(l, i - 1, ";") && !token_is(l, i - 1, "{") && !token_is(l, i - 1, "}") && !token_is(l, i - 1, ")") &&
	     l->at[i - 1].kind != TOKEN_DIRECTIVE))
		return false;
	if (token_is(l, end, "[") && token_is(l, end + 1, "]"))
		end += 2;
	else if (!token_is_name(l, end))
		return false;
	while (end < l->n && !token_is(l, end, ";") && !token_is(l, end, "{") && !token_is(l, end, "="))
		end = token_is(l, end, "(") || token_is(l, end, "[") ? token_behind(l, end) : end + 1;
	return token_is(l, end, ";");
}

static bool edit_delete(const struct token_list *l, uint32_t i, struct edit_list *edits)
{
	uint32_t end = i;

	if (!cpp_syntax_is_delete(l, i))
		return false;
	replace(l, i, token_is(l, i + 1, "[") ? i + 2 : i, "free((void *)", edits);
	while (!token_is(l, end, ";"))
		end++;
	edit_list_add(edits, l->at[end].start, l->at[end].start, ")");
	return true;
}

void cpp_syntax_edit(const struct token_list *l, uint32_t i, struct mem_pool *pool, struct edit_list *edits)
{
	if (i && (token_is(l, i - 1, ".") || token_is(l, i - 1, "->")))
		return;
	if (edit_cast(l, i, edits) || edit_std(l, i, edits) || edit_new(l, i, pool, edits) || edit_delete(l, i, edits))
		return;
	if (cpp_syntax_is_auto(l, i))
		replace(l, i, i, "__auto_type", edits);
}

static bool are_close(const struct token_list *l, uint32_t a, uint32_t b)
{
	return l->at[a].line == l->at[b].line && strspn(l->text + l->at[a].end, " \t") == l->at[b].start - l->at[a].end;
}

/* The blanks go behind the three. */
static void close_up(char *text, const struct token_list *l, uint32_t first, uint32_t last, char c)
{
	memset(text + l->at[first].start, ' ', l->at[last].end - l->at[first].start);
	memset(text + l->at[first].start, c, 3);
}

const char *cpp_syntax_close_launches(const char *text, struct mem_pool *pool)
{
	char *copy = strstr(text, "<<") ? mem_pool_strdup(pool, text) : NULL;
	bool open = false;
	struct token_list l;

	if (!copy || token_list_init(&l, text, strlen(text), pool, NULL))
		return text;
	for (uint32_t i = 0; i + 1 < l.n; i++) {
		if (token_is(&l, i, ";") || token_is(&l, i, "{") || token_is(&l, i, ">>>"))
			open = false;
		open |= token_is(&l, i, "<<<");
		if (((token_is(&l, i, "<<") && token_is(&l, i + 1, "<")) || (token_is(&l, i, "<") && token_is(&l, i + 1, "<<"))) &&
		    are_close(&l, i, i + 1)) {
			close_up(copy, &l, i, i + 1, '<');
			open = true;
			i++;
		} else if (open && are_close(&l, i, i + 1) &&
			   ((token_is(&l, i, ">>") && token_is(&l, i + 1, ">")) ||
			    (token_is(&l, i, ">") && token_is(&l, i + 1, ">>")))) {
			close_up(copy, &l, i, i + 1, '>');
			open = false;
			i++;
		}
	}
	return copy;
}
