/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text is scanned by tokens, once, since no clang parses it: brackets outside of extern "C"
 * are skipped whole. A declaration runs to its first `(`, `=` or `;`, which tells functions from
 * variables. It is taken if no word in it is foreign to C or keeps others from it, and each
 * declarator has only types that C or the session knows and one other word, its name. Functions
 * must have a body, and behind an extern "C" without a block variables must have an initialiser:
 * others are not defined there.
 */
#include "compiler/device/c-linkage.h"

#include <stdbool.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/mem-pool.h"
#include "compiler/session/session.h"
#include "compiler/text/words.h"

struct finder {
	const struct token_list *l;
	const struct compiler_session *session;
	struct mem_pool *pool;
	struct declaration *found;
	struct unit_symbol *symbols;
	size_t n, n_symbols;
	uint32_t cell;
	bool failed;
};

static bool is_one_of(const struct token_list *l, uint32_t i, const char *const *words, size_t n)
{
	for (size_t k = 0; k < n; k++)
		if (token_is(l, i, words[k]))
			return true;
	return false;
}

/* Tells whether a word makes a declaration invalid in C, or local to its file. */
static bool is_foreign(const struct token_list *l, uint32_t i)
{
	static const char *const words[] = {
		"&",          "&&",           "<",           ">",         "::",     "__global__",
		"__device__", "__constant__", "__managed__", "static",    "inline", "template",
		"auto",       "typedef",      "using",       "namespace", "class",  "constexpr",
		"operator",   "decltype",     "typename"
	};

	return is_one_of(l, i, words, sizeof(words) / sizeof(words[0])) ||
	       l->at[i].kind == TOKEN_DIRECTIVE;
}

static bool is_type(const struct finder *f, uint32_t i)
{
	const char *text = token_text(f->l, i);
	size_t len = token_len(f->l, i);
	const struct declaration *d;

	if (words_at_specifier(f->l, i))
		return true;
	if (i && (token_is(f->l, i - 1, "struct") || token_is(f->l, i - 1, "union") ||
		  token_is(f->l, i - 1, "enum")))
		return true;
	d = session_find(f->session, text, len);
	return header_names_kind(&f->session->headers, text, len) == 't' ||
	       (d && d->kind == DECLARATION_TYPEDEF);
}

/* Returns the last token of the default argument or initialiser that begins with the `=` at i; a
 * comma or the end follows. */
static uint32_t end_of_default(const struct token_list *l, uint32_t i, uint32_t end)
{
	while (i + 1 < end && !token_is(l, i + 1, ","))
		i = token_is(l, i + 1, "(") || token_is(l, i + 1, "{") ? token_behind(l, i + 1) - 1
								       : i + 1;
	return i;
}

/* Tells whether all words of [first, end) are types, except one behind a type, which is the
 * declared name. */
static bool is_of_c(const struct finder *f, uint32_t first, uint32_t end)
{
	bool typed = false, named = false;

	for (uint32_t i = first; i < end; i++) {
		if (is_foreign(f->l, i))
			return false;
		if (token_is(f->l, i, ",")) {
			typed = named = false;
		} else if (token_is(f->l, i, "=")) {
			i = end_of_default(f->l, i, end);
		} else if (token_is(f->l, i, "[")) {
			i = token_behind(f->l, i) - 1;
		} else if (token_is_name(f->l, i) && is_type(f, i)) {
			typed = true;
		} else if (token_is_name(f->l, i)) {
			if (!typed || named)
				return false;
			named = true;
		}
	}
	return true;
}

/* Appends the tokens without default arguments; skipped: also words that are no types. */
static void put_tokens(const struct finder *f, uint32_t first, uint32_t end, bool skipped,
		       struct buffer *out)
{
	const struct token_list *l = f->l;

	for (uint32_t i = first; i < end; i++) {
		if (token_is(l, i, "=")) {
			i = end_of_default(l, i, end);
			continue;
		}
		bool apart =
			i > first && (token_is(l, i - 1, ",") ||
				      (token_is_name(l, i - 1) && !token_is(l, i - 1, "__host__") &&
				       (token_is_name(l, i) || token_is(l, i, "*"))));

		if (!token_is(l, i, "__host__") &&
		    !(skipped && token_is_name(l, i) && !is_type(f, i)))
			buffer_printf(out, "%s%.*s", apart ? " " : "", (int)token_len(l, i),
				      token_text(l, i));
	}
}

static void add(struct finder *f, enum declaration_kind kind, uint32_t name,
		const struct buffer *host)
{
	struct declaration *d = &f->found[f->n];

	*d = (struct declaration){
		.kind = kind,
		.cell = f->cell,
		.line = f->l->at[name].line,
		.name = mem_pool_strndup(f->pool, token_text(f->l, name), token_len(f->l, name)),
		.host = buffer_check(host, NULL) ? NULL : mem_pool_strdup(f->pool, host->data),
		.device = ""
	};
	if (d->name && d->host)
		f->n++;
	else
		f->failed = true;
}

/* Adds a symbol with its type in clang's spelling: `void (float *, int)`. */
static void add_symbol(struct finder *f, uint32_t first, uint32_t open, uint32_t close)
{
	cleanup_buffer struct buffer type = BUFFER_INIT;
	struct unit_symbol *s = &f->symbols[f->n_symbols];

	put_tokens(f, first, open - 1, true, &type);
	buffer_puts(&type, " (");
	if (close == open + 1)
		buffer_puts(&type, "void");
	put_tokens(f, open + 1, close, true, &type);
	buffer_putc(&type, ')');
	*s = (struct unit_symbol){ .is_function = true,
				   .type_code = "",
				   .line = f->l->at[open - 1].line,
				   .name = mem_pool_strndup(f->pool, token_text(f->l, open - 1),
							    token_len(f->l, open - 1)),
				   .type = mem_pool_strdup(f->pool, buffer_text(&type)) };
	if (s->name && s->type)
		f->n_symbols++;
	else
		f->failed = true;
}

/* Adds a function; token `open` is the `(` of its parameters. */
static void add_function(struct finder *f, uint32_t first, uint32_t open)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;
	uint32_t close = token_behind(f->l, open) - 1;

	if (!token_is(f->l, close + 1, "{") || open < first + 2 || !is_of_c(f, first, open) ||
	    !is_of_c(f, open + 1, close))
		return;
	put_tokens(f, first, open, false, &text);
	buffer_putc(&text, '(');
	if (close == open + 1)
		buffer_puts(&text, "void");
	put_tokens(f, open + 1, close, false, &text);
	buffer_puts(&text, ");");
	add(f, DECLARATION_FUNCTION, open - 1, &text);
	add_symbol(f, first, open, close);
}

static void add_variable(struct finder *f, uint32_t first, uint32_t end)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;
	uint32_t name = end - 1;

	while (name > first && token_is(f->l, name, "]") && f->l->at[name].match != TOKEN_NONE)
		name = f->l->at[name].match - 1;
	if (name < first + 1 || !words_at_identifier(f->l, name) || !is_of_c(f, first, end))
		return;
	buffer_puts(&text, "extern ");
	put_tokens(f, first, end, false, &text);
	buffer_putc(&text, ';');
	add(f, DECLARATION_VARIABLE, name, &text);
}

/* Adds the declaration that starts at i, in a block or behind an extern "C" of its own; returns the
 * place behind it. */
static uint32_t take(struct finder *f, uint32_t i, bool in_block)
{
	const struct token_list *l = f->l;
	uint32_t first = i;

	if (l->at[i].kind == TOKEN_DIRECTIVE)
		return i + 1;
	for (; i < l->n; i++) {
		if (token_is(l, i, "(")) {
			add_function(f, first, i);
			i = token_behind(l, i);
			while (i < l->n && !token_is(l, i, "{") && !token_is(l, i, ";") &&
			       !token_is(l, i, "}"))
				i++;
			return token_is(l, i, "{") ? token_behind(l, i) : i + 1;
		}
		if (token_is(l, i, "{"))
			i = token_behind(l, i) - 1;
		else if (token_is(l, i, "=") || token_is(l, i, ";")) {
			if (token_is(l, i, "=") || in_block)
				add_variable(f, first, i);
			while (i < l->n && !token_is(l, i, ";"))
				i = token_is(l, i, "{") || token_is(l, i, "(") ? token_behind(l, i)
									       : i + 1;
			return i + 1;
		}
	}
	return l->n;
}

static bool at_c_linkage(const struct token_list *l, uint32_t i)
{
	return token_is(l, i, "extern") && i + 1 < l->n && token_len(l, i + 1) == 3 &&
	       !memcmp(token_text(l, i + 1), "\"C\"", 3);
}

int c_linkage_find(const struct token_list *l, const struct compiler_session *session,
		   struct mem_pool *pool, struct unit *u, struct error *err)
{
	struct finder f = { .l = l, .session = session, .pool = pool, .cell = u->cell };

	f.found = mem_pool_array(pool, l->n + 1, sizeof(*f.found));
	f.symbols = mem_pool_array(pool, l->n + 1, sizeof(*f.symbols));
	for (uint32_t i = 0; f.found && f.symbols && i < l->n;) {
		uint32_t end;

		if (!at_c_linkage(l, i)) {
			i = token_is(l, i, "{") || token_is(l, i, "(") ? token_behind(l, i) : i + 1;
		} else if (!token_is(l, i + 2, "{")) {
			i = take(&f, i + 2, false);
		} else {
			end = token_behind(l, i + 2);
			for (i += 3; i + 1 < end;)
				i = take(&f, i, true);
			i = end;
		}
	}
	u->declarations = f.found;
	u->n_declarations = f.n;
	u->symbols = f.symbols;
	u->n_symbols = f.n_symbols;
	return !f.found || !f.symbols || f.failed
		       ? error_set(err, ERROR_MEMORY, "out of memory for the functions of a cell")
		       : 0;
}
