/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The search for includes, main(), module declarations and types works on tokens alone: nothing is
 * preprocessed, so a name that a macro makes is not seen. The walk at file scope steps over each
 * bracket pair as a whole, except for the braces of `extern "C"`, which open no scope. The `%%cpp`
 * line is overwritten with blanks of the same length before the text is cut into tokens.
 */
#include "compiler/text/cpp-cell.h"

#include <string.h>

#include "common/base/error.h"
#include "common/base/mem-pool.h"
#include "compiler/text/launch-syntax.h"

static const char *skip_comment(const char *p)
{
	const char *end = strstr(p + 2, "*/");

	return end ? end + 2 : p + strlen(p);
}

const char *cpp_cell_line(const char *p, const char *magic)
{
	for (;;) {
		p += strspn(p, " \t\r\n");
		if (!strncmp(p, "//", 2))
			p += strcspn(p, "\n");
		else if (!strncmp(p, "/*", 2))
			p = skip_comment(p);
		else
			break;
	}
	if (strncmp(p, magic, strlen(magic)) || !strchr(" \t\r\n", p[strlen(magic)]))
		return NULL;
	return p;
}

bool cpp_cell_is(const char *text)
{
	return cpp_cell_line(text, CPP_CELL) != NULL;
}

/* Collects the includes in front of any other directive or code, since a macro may change the
 * meaning of a header. */
static void find_includes(struct cpp_cell *c)
{
	const struct token_list *l = &c->tokens;

	for (uint32_t i = 0; i < l->n; i++) {
		size_t n;
		const char *rest =
			l->at[i].kind == TOKEN_DIRECTIVE ? token_directive_rest(l, i, &n) : "";

		if (l->at[i].kind != TOKEN_DIRECTIVE || !token_directive_is(l, i, "include") ||
		    *rest != '<')
			return;
		buffer_printf(&c->includes, "#include %.*s\n", (int)strcspn(rest, "\n"), rest);
	}
}

/* Recognises `extern "C" {`, which opens no scope. */
static bool is_linkage(const struct token_list *l, uint32_t i)
{
	return i >= 2 && token_is(l, i, "{") && l->at[i - 1].kind == TOKEN_STRING &&
	       token_is(l, i - 2, "extern");
}

/* Returns the token behind i at file scope; brackets are skipped as a whole. */
static uint32_t next_at_file_scope(const struct token_list *l, uint32_t i)
{
	if (l->at[i].match == TOKEN_NONE || l->at[i].match < i || is_linkage(l, i))
		return i + 1;
	return token_behind(l, i);
}

static void find_main(struct cpp_cell *c)
{
	const struct token_list *l = &c->tokens;

	for (uint32_t i = 0; i < l->n && !c->has_main; i = next_at_file_scope(l, i))
		c->has_main = i && token_is(l, i, "main") && token_is(l, i + 1, "(") &&
			      token_is(l, i - 1, "int") && token_is(l, token_behind(l, i + 1), "{");
}

/* Finds `import name;`, `module;`, `export module name;`. */
static void find_module(struct cpp_cell *c)
{
	const struct token_list *l = &c->tokens;
	bool first = true;

	for (uint32_t i = 0; i < l->n && c->module == TOKEN_NONE; i = next_at_file_scope(l, i)) {
		uint32_t word = token_is(l, i, "export") ? i + 1 : i;
		bool names = token_is_name(l, word + 1) || token_is(l, word + 1, "<") ||
			     token_is(l, word + 1, ";") ||
			     (word + 1 < l->n && l->at[word + 1].kind == TOKEN_STRING);

		if (first && names && (token_is(l, word, "import") || token_is(l, word, "module")))
			c->module = i;
		first = token_is(l, i, ";") || token_is(l, i, "}") || token_is(l, i, "{") ||
			l->at[i].kind == TOKEN_DIRECTIVE;
	}
}

uint32_t cpp_cell_next_type(const struct cpp_cell *c, uint32_t i)
{
	const struct token_list *l = &c->tokens;

	for (i = i == TOKEN_NONE ? 0 : next_at_file_scope(l, i); i < l->n;
	     i = next_at_file_scope(l, i)) {
		bool is_type = token_is(l, i, "struct") || token_is(l, i, "union") ||
			       token_is(l, i, "enum") || token_is(l, i, "class");

		bool defines = token_is(l, i + 2, "{") || token_is(l, i + 2, ":") ||
			       token_is(l, i + 2, "final");

		/* In `template <...> struct` there is no type yet. */
		if (is_type && defines && token_is_name(l, i + 1) &&
		    !(i && token_is(l, i - 1, ">")))
			return i;
	}
	return l->n;
}

int cpp_cell_init(struct cpp_cell *c, const char *text, const char *magic, struct mem_pool *pool,
		  struct error *err)
{
	const char *line = cpp_cell_line(text, magic);
	size_t at = line ? (size_t)(line - text) : 0, len = line ? strcspn(line, "\n") : 0;
	char *copy = mem_pool_strdup(pool, text);

	*c = (struct cpp_cell){ .module = TOKEN_NONE };
	c->flags = line ? mem_pool_strndup(pool, line + strlen(magic), len - strlen(magic)) : "";
	if (!copy || !c->flags)
		return error_set(err, ERROR_MEMORY, "out of memory for a cell");
	memset(copy + at, ' ', len);
	c->text = launch_syntax_close(copy, pool);
	if (token_list_init(&c->tokens, c->text, strlen(c->text), pool, err))
		return -1;
	find_includes(c);
	find_main(c);
	find_module(c);
	return buffer_check(&c->includes, err);
}

void cpp_cell_release(struct cpp_cell *c)
{
	buffer_release(&c->includes);
}
