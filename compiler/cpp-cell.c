/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/cpp-cell.h"

#include <string.h>

#include "common/error.h"
#include "common/mem-pool.h"

static const char magic[] = "%%cpp";

static const char *skip_comment(const char *p)
{
	const char *end = strstr(p + 2, "*/");

	return end ? end + 2 : p + strlen(p);
}

/* The `%` of the line; NULL if something else comes first. */
static const char *find_line(const char *p)
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
	return find_line(text) != NULL;
}

/* Only what stands before any other directive or code: a macro may change what a header means. */
static void find_includes(struct cpp_cell *c)
{
	const struct token_list *l = &c->tokens;

	for (uint32_t i = 0; i < l->n; i++) {
		size_t n;
		const char *rest = l->at[i].kind == TOKEN_DIRECTIVE ? token_directive_rest(l, i, &n) : "";

		if (l->at[i].kind != TOKEN_DIRECTIVE || !token_directive_is(l, i, "include") || *rest != '<')
			return;
		buffer_printf(&c->includes, "#include %.*s\n", (int)strcspn(rest, "\n"), rest);
	}
}

/* `extern "C" {` opens no scope. */
static bool is_linkage(const struct token_list *l, uint32_t i)
{
	return i >= 2 && token_is(l, i, "{") && l->at[i - 1].kind == TOKEN_STRING && token_is(l, i - 2, "extern");
}

/* The token behind i at file scope; brackets are passed as a whole. */
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
		c->has_main = i && token_is(l, i, "main") && token_is(l, i + 1, "(") && token_is(l, i - 1, "int") &&
			      token_is(l, token_behind(l, i + 1), "{");
}

bool cpp_cell_at_file_scope(const struct cpp_cell *c, size_t offset)
{
	const struct token_list *l = &c->tokens;

	for (uint32_t i = 0; i < l->n; i = next_at_file_scope(l, i)) {
		uint32_t end = l->at[i].match;

		if (token_is(l, i, "{") && !is_linkage(l, i) && end != TOKEN_NONE && end > i &&
		    offset > l->at[i].start && offset <= l->at[end].start)
			return false;
	}
	return true;
}

uint32_t cpp_cell_next_type(const struct cpp_cell *c, uint32_t i)
{
	const struct token_list *l = &c->tokens;

	for (i = i == TOKEN_NONE ? 0 : next_at_file_scope(l, i); i < l->n; i = next_at_file_scope(l, i)) {
		bool is_type = token_is(l, i, "struct") || token_is(l, i, "union") || token_is(l, i, "enum") ||
			       token_is(l, i, "class");

		/* `template <...> struct` is no type yet; `enum class` has no spelling in C. */
		if (is_type && token_is_name(l, i + 1) && !token_is(l, i + 1, "class") && !(i && token_is(l, i - 1, ">")))
			return i;
	}
	return l->n;
}

int cpp_cell_init(struct cpp_cell *c, const char *text, struct mem_pool *pool, struct error *err)
{
	const char *line = find_line(text);
	size_t at = (size_t)(line - text), len = strcspn(line, "\n");
	char *copy = mem_pool_strdup(pool, text);

	*c = (struct cpp_cell){ .text = copy, .flags = mem_pool_strndup(pool, line + strlen(magic), len - strlen(magic)) };
	if (!copy || !c->flags)
		return error_set(err, ERROR_MEMORY, "out of memory for a cell");
	memset(copy + at, ' ', len);
	if (token_list_init(&c->tokens, copy, strlen(copy), pool, err))
		return -1;
	find_includes(c);
	find_main(c);
	return buffer_check(&c->includes, err);
}

void cpp_cell_release(struct cpp_cell *c)
{
	buffer_release(&c->includes);
}
