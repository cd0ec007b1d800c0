/* SPDX-License-Identifier: Apache-2.0 */
/* One pass over the text, then brackets are paired with a stack. */
#include "compiler/text/token.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/mem-pool.h"

struct lexer {
	struct token_list *list;
	struct token *tokens; /* malloc-ed while it grows */
	uint32_t n, cap;
	const char *text;
	size_t len, at;
	uint32_t line;
	bool line_start; /* only blanks so far on this line */
	bool failed;
};

static bool is_name_start(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
	       c >= 0x80;
}

static bool is_digit(unsigned char c)
{
	return c >= '0' && c <= '9';
}

static char peek(const struct lexer *x, size_t ahead)
{
	return x->at + ahead < x->len ? x->text[x->at + ahead] : 0;
}

/* Returns the length of a backslash-newline at the offset, 0 if there is none. */
static size_t splice_at(const struct lexer *x, size_t at)
{
	if (at + 1 < x->len && x->text[at] == '\\' && x->text[at + 1] == '\n')
		return 2;
	if (at + 2 < x->len && x->text[at] == '\\' && x->text[at + 1] == '\r' &&
	    x->text[at + 2] == '\n')
		return 3;
	return 0;
}

static void add(struct lexer *x, enum token_kind kind, size_t start, uint32_t line)
{
	if (x->n == x->cap) {
		uint32_t cap = x->cap ? x->cap * 2 : 256;
		struct token *grown = realloc(x->tokens, cap * sizeof(*grown));

		if (!grown) {
			x->failed = true;
			return;
		}
		x->tokens = grown;
		x->cap = cap;
	}
	x->tokens[x->n++] = (struct token){ .kind = kind,
					    .start = (uint32_t)start,
					    .end = (uint32_t)x->at,
					    .line = line,
					    .match = TOKEN_NONE };
	x->line_start = false;
}

static void skip_block_comment(struct lexer *x)
{
	for (x->at += 2; x->at < x->len; x->at++) {
		if (x->text[x->at] == '\n')
			x->line++;
		if (x->text[x->at] == '*' && peek(x, 1) == '/') {
			x->at += 2;
			return;
		}
	}
	x->list->open_comment = true;
}

static void skip_line_comment(struct lexer *x)
{
	while (x->at < x->len && x->text[x->at] != '\n') {
		size_t splice = splice_at(x, x->at);

		x->line += splice != 0;
		x->at += splice ? splice : 1;
	}
}

/* Skips blanks, comments and spliced line ends; not newlines if `in_directive`. */
static void skip_space(struct lexer *x, bool in_directive)
{
	while (x->at < x->len) {
		char c = x->text[x->at];
		size_t splice = splice_at(x, x->at);

		if (splice) {
			x->line++;
			x->at += splice;
		} else if (c == '\n') {
			if (in_directive)
				return;
			x->line++;
			x->line_start = true;
			x->at++;
		} else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
			x->at++;
		} else if (c == '/' && peek(x, 1) == '*') {
			skip_block_comment(x);
		} else if (c == '/' && peek(x, 1) == '/') {
			skip_line_comment(x);
		} else {
			return;
		}
	}
}

static void quoted(struct lexer *x, size_t start, char quote)
{
	uint32_t line = x->line;

	x->at++;
	while (x->at < x->len && x->text[x->at] != quote) {
		size_t splice = splice_at(x, x->at);

		if (x->text[x->at] == '\n') {
			x->list->open_string = true;
			break;
		}
		x->line += splice != 0;
		x->at += splice ? splice : x->text[x->at] == '\\' && x->at + 1 < x->len ? 2 : 1;
	}
	if (x->at >= x->len)
		x->list->open_string = true;
	else if (x->text[x->at] == quote)
		x->at++;
	add(x, quote == '"' ? TOKEN_STRING : TOKEN_CHARACTER, start, line);
}

/* Reads a raw string R"end( ... )end" of C++ from its quote. False, and nothing is consumed, when
 * it is none. */
static bool raw(struct lexer *x, size_t start)
{
	const char *open = x->text + x->at + 1, *stop = x->text + x->len, *end = open;
	uint32_t line = x->line;
	size_t n = 0;

	while (n <= 16 && open + n < stop && !strchr("( )\\\t\n\"", open[n]))
		n++;
	if (n > 16 || open + n >= stop || open[n] != '(')
		return false;
	do {
		end = memchr(end + 1, ')', (size_t)(stop - end - 1));
		if (!end || (size_t)(stop - end) < n + 2)
			return false;
	} while (memcmp(end + 1, open, n) || end[1 + n] != '"');
	for (; x->text + x->at < end + n + 2; x->at++)
		x->line += x->text[x->at] == '\n';
	add(x, TOKEN_STRING, start, line);
	return true;
}

/* Reads the whole logical line; a comment over several lines belongs to it. */
static void directive(struct lexer *x)
{
	size_t start = x->at;
	uint32_t line = x->line;

	while (x->at < x->len && x->text[x->at] != '\n') {
		char c = x->text[x->at];
		size_t splice = splice_at(x, x->at);

		if (splice) {
			x->line++;
			x->at += splice;
		} else if (c == '/' && peek(x, 1) == '*') {
			skip_block_comment(x);
		} else if (c == '/' && peek(x, 1) == '/') {
			skip_line_comment(x);
		} else if (c == '"') {
			for (x->at++;
			     x->at < x->len && x->text[x->at] != '\n' && x->text[x->at] != '"';
			     x->at++)
				if (x->text[x->at] == '\\' && peek(x, 1) != '\n' &&
				    x->at + 1 < x->len)
					x->at++;
			x->at += x->at < x->len && x->text[x->at] == '"';
		} else {
			x->at++;
		}
	}
	add(x, TOKEN_DIRECTIVE, start, line);
}

static void name(struct lexer *x)
{
	size_t start = x->at;

	while (is_name_start(peek(x, 0)) || is_digit(peek(x, 0)))
		x->at++;
	size_t len = x->at - start;
	const char *p = x->text + start;
	bool prefix = (len == 1 && strchr("LuU", *p)) || (len == 2 && !memcmp(p, "u8", 2));

	bool is_raw = (len <= 3 && p[len - 1] == 'R' && memchr("LuU8", p[0], 4)) ||
		      (len == 1 && *p == 'R');

	if (is_raw && peek(x, 0) == '"' && raw(x, start))
		return;
	if (prefix && (peek(x, 0) == '"' || peek(x, 0) == '\''))
		quoted(x, start, peek(x, 0));
	else
		add(x, TOKEN_NAME, start, x->line);
}

/* Reads a preprocessing number (C17 6.4.8). */
static void number(struct lexer *x)
{
	size_t start = x->at;

	for (;;) {
		char c = peek(x, 0);

		if (c && strchr("eEpP", c) && (peek(x, 1) == '+' || peek(x, 1) == '-'))
			x->at += 2;
		else if (is_digit(c) || is_name_start(c) || c == '.')
			x->at++;
		else if (c == '\'' && is_digit(peek(x, 1))) /* 1'000 of C++ */
			x->at += 2;
		else
			break;
	}
	add(x, TOKEN_NUMBER, start, x->line);
}

static void punctuation(struct lexer *x)
{
	static const char *const longer[] = {
		"<<<", ">>>", "<<=", ">>=", "...", "->", "++", "--", "<<", ">>",
		"<=",  ">=",  "==",  "<:",  ":>",  "<%", "%>", "!=", "&&", "||",
		"*=",  "/=",  "%=",  "+=",  "-=",  "&=", "^=", "|=", "##", "::",
	};
	size_t start = x->at;

	x->at++;
	for (size_t i = 0; i < sizeof(longer) / sizeof(*longer); i++) {
		size_t n = strlen(longer[i]);

		if (start + n <= x->len && !memcmp(x->text + start, longer[i], n)) {
			x->at = start + n;
			break;
		}
	}
	char c = x->text[start];

	add(x,
	    c > ' ' && c < 0x7f && c != '\\' && c != '@' && c != '`' ? TOKEN_PUNCTUATION
								     : TOKEN_OTHER,
	    start, x->line);
}

/* Other spellings of brackets (C17 6.4.6). */
static const struct {
	char spelling[3], means;
} digraphs[] = { { "<:", '[' }, { ":>", ']' }, { "<%", '{' }, { "%>", '}' } };

/* Returns the bracket that the token is; 0 for another one. */
static char bracket(const struct token_list *l, uint32_t i)
{
	const char *text = token_text(l, i);

	if (l->at[i].kind != TOKEN_PUNCTUATION || l->at[i].bracket)
		return l->at[i].bracket;
	if (token_len(l, i) == 1)
		return strchr("()[]{}", *text) ? *text : 0;
	for (size_t k = 0; token_len(l, i) == 2 && k < sizeof(digraphs) / sizeof(*digraphs); k++)
		if (!memcmp(text, digraphs[k].spelling, 2))
			return digraphs[k].means;
	return 0;
}

static bool closes(char open, char close)
{
	return (open == '(' && close == ')') || (open == '[' && close == ']') ||
	       (open == '{' && close == '}');
}

/* The state of pairing brackets. */
struct pairing {
	struct token_list *l;
	uint32_t *open; /* a stack of tokens */
	/* An opening bracket at the same place in another branch of #if; TOKEN_NONE. */
	uint32_t *other;
	uint32_t depth;
	uint32_t *saved; /* depths at the open #if directives */
	uint32_t n_saved;
	uint32_t dead; /* n_saved at the outermost `#if 0`; 0 outside of one */
};

static bool is_if_0(const struct token_list *l, uint32_t i)
{
	size_t n;
	const char *rest = token_directive_rest(l, i, &n);

	return token_directive_is(l, i, "if") && n && *rest == '0' &&
	       (n == 1 || strchr(" \t\r/", rest[1]));
}

/* Drops brackets that an `#if 0` has opened, since its text need not be C. */
static void leave_dead(struct pairing *p, uint32_t i)
{
	while (p->depth > p->saved[p->n_saved - 1])
		p->l->at[p->open[--p->depth]].match = i - 1;
	p->dead = 0;
}

/* Handles the branches of an #if, which are alternatives: each starts with the same open
 * brackets. Brackets that a branch leaves open get the partners of those that the last branch
 * leaves open. */
static void pair_directive(struct pairing *p, uint32_t i)
{
	const struct token_list *l = p->l;

	if (token_directive_is(l, i, "if") || token_directive_is(l, i, "ifdef") ||
	    token_directive_is(l, i, "ifndef")) {
		p->saved[p->n_saved++] = p->depth;
		if (!p->dead && is_if_0(l, i))
			p->dead = p->n_saved;
	} else if (p->dead && p->dead == p->n_saved &&
		   (token_directive_is(l, i, "else") || token_directive_is(l, i, "elif") ||
		    token_directive_is(l, i, "endif"))) {
		leave_dead(p, i);
		p->n_saved -= token_directive_is(l, i, "endif");
	} else if (p->n_saved &&
		   (token_directive_is(l, i, "else") || token_directive_is(l, i, "elif"))) {
		for (uint32_t k = p->saved[p->n_saved - 1]; k < p->depth; k++)
			p->other[k] = p->open[k];
		p->depth = p->saved[p->n_saved - 1];
	} else if (p->n_saved && token_directive_is(l, i, "endif")) {
		p->n_saved--;
	}
}

/* Tells whether one of the brackets that are open would be closed by this one. */
static bool is_awaited(const struct pairing *p, char c)
{
	for (size_t k = p->depth; k; k--)
		if (closes(bracket(p->l, p->open[k - 1]), c))
			return true;
	return false;
}

static void pair_closing(struct pairing *p, uint32_t i, char c)
{
	struct token_list *l = p->l;

	bool same_branch = !p->dead || p->depth > p->saved[p->dead - 1];

	if (p->depth && same_branch && closes(bracket(l, p->open[p->depth - 1]), c)) {
		uint32_t open = p->open[--p->depth], other = p->other[p->depth];

		l->at[i].match = open;
		l->at[open].match = i;
		if (other != TOKEN_NONE && other < open && bracket(l, other) == bracket(l, open)) {
			l->at[other].match = i;
			p->other[p->depth] = TOKEN_NONE;
		}
	} else if (l->unopened == TOKEN_NONE && !p->dead) {
		l->unopened = i;
		if (is_awaited(p, c))
			l->between = p->open[p->depth - 1];
	}
}

static int pair_brackets(struct token_list *l, struct error *err)
{
	cleanup_free uint32_t *stack = malloc((3 * (size_t)l->n + 3) * sizeof(*stack));
	struct pairing p = { .l = l, .open = stack };

	if (!stack)
		return error_set(err, ERROR_MEMORY, "out of memory for the tokens of a cell");
	p.other = stack + l->n + 1;
	p.saved = p.other + l->n + 1;
	memset(p.other, 0xff, (l->n + 1) * sizeof(*stack));
	l->unclosed = l->unopened = l->between = TOKEN_NONE;
	for (uint32_t i = 0; i < l->n; i++) {
		char c = bracket(l, i);

		if (l->at[i].kind == TOKEN_DIRECTIVE)
			pair_directive(&p, i);
		else if (c && strchr("([{", c))
			p.open[p.depth++] = i;
		else if (c)
			pair_closing(&p, i, c);
	}
	if (p.depth)
		l->unclosed = p.open[p.depth - 1];
	return 0;
}

static void lex(struct lexer *x)
{
	for (;;) {
		skip_space(x, false);
		if (x->at >= x->len || x->failed)
			return;
		unsigned char c = x->text[x->at];

		if (x->line_start && (c == '#' || (c == '%' && peek(x, 1) == ':')))
			directive(x);
		else if (is_name_start(c))
			name(x);
		else if (is_digit(c) || (c == '.' && is_digit(peek(x, 1))))
			number(x);
		else if (c == '"' || c == '\'')
			quoted(x, x->at, c);
		else
			punctuation(x);
	}
}

int token_list_set_brackets(struct token_list *l, char (*stands_for)(void *data, uint32_t i),
			    void *data, struct error *err)
{
	bool any = false;

	for (uint32_t i = 0; i < l->n; i++) {
		char c = l->at[i].kind == TOKEN_NAME ? stands_for(data, i) : 0;

		if (!c)
			continue;
		l->at[i].kind = TOKEN_PUNCTUATION;
		l->at[i].bracket = c;
		any = true;
	}
	for (uint32_t i = 0; any && i < l->n; i++)
		l->at[i].match = TOKEN_NONE;
	return any ? pair_brackets(l, err) : 0;
}

int token_list_init(struct token_list *l, const char *text, size_t len, struct mem_pool *pool,
		    struct error *err)
{
	struct lexer x = { .list = l, .text = text, .len = len, .line = 1, .line_start = true };

	if (len >= UINT32_MAX)
		return error_set(err, ERROR_LIMIT, "a cell of more than 4 GiB");
	*l = (struct token_list){ .text = text, .len = len };
	/* A byte order mark of UTF-8 is no text. */
	if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		x.at = 3;
	lex(&x);
	l->open_splice = len && (text[len - 1] == '\\' ||
				 (len > 1 && text[len - 1] == '\n' && text[len - 2] == '\\'));
	l->n = x.n;
	l->at = mem_pool_array(pool, x.n + 1, sizeof(*l->at));
	if (l->at && x.n)
		memcpy(l->at, x.tokens, x.n * sizeof(*l->at));
	free(x.tokens);
	if (!l->at || x.failed)
		return error_set(err, ERROR_MEMORY, "out of memory for the tokens of a cell");
	return pair_brackets(l, err);
}

bool token_list_has(const struct token_list *l, const char *text)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (token_is(l, i, text))
			return true;
	return false;
}

bool token_is(const struct token_list *l, uint32_t i, const char *text)
{
	size_t n = strlen(text);

	if (i >= l->n || l->at[i].kind == TOKEN_STRING)
		return false;
	if (l->at[i].bracket)
		return n == 1 && *text == l->at[i].bracket;
	if (token_len(l, i) == n)
		return !memcmp(token_text(l, i), text, n);
	return n == 1 && token_len(l, i) == 2 && *text == bracket(l, i);
}

uint32_t token_behind(const struct token_list *l, uint32_t i)
{
	return i < l->n && l->at[i].match != TOKEN_NONE ? l->at[i].match + 1 : l->n;
}

static size_t skip_blanks(const char *p, size_t i, size_t n)
{
	while (i < n) {
		if (p[i] == ' ' || p[i] == '\t')
			i++;
		else if (p[i] == '\\' && i + 1 < n && p[i + 1] == '\n')
			i += 2;
		else
			break;
	}
	return i;
}

/* Returns the length of a directive's word, "define", "include", ...; 0 for a lone #. */
static size_t token_directive(const struct token_list *l, uint32_t i, const char **ret_word)
{
	const char *p = token_text(l, i);
	size_t n = token_len(l, i), at = skip_blanks(p, *p == '%' ? 2 : 1, n), start = at;

	while (at < n && p[at] >= 'a' && p[at] <= 'z')
		at++;
	*ret_word = p + start;
	return at - start;
}

bool token_directive_is(const struct token_list *l, uint32_t i, const char *word)
{
	const char *w;
	size_t n;

	if (i >= l->n || l->at[i].kind != TOKEN_DIRECTIVE)
		return false;
	n = token_directive(l, i, &w);
	return n == strlen(word) && !memcmp(w, word, n);
}

const char *token_directive_rest(const struct token_list *l, uint32_t i, size_t *ret_len)
{
	const char *word, *p = token_text(l, i);
	size_t n = token_len(l, i), at = token_directive(l, i, &word);

	at = skip_blanks(p, (size_t)(word - p) + at, n);
	*ret_len = n - at;
	return p + at;
}

const char *token_directive_name(const struct token_list *l, uint32_t i, size_t *ret_len)
{
	size_t n;
	const char *name = token_directive_rest(l, i, &n);

	*ret_len = 0;
	while (*ret_len < n && (isalnum((unsigned char)name[*ret_len]) || name[*ret_len] == '_'))
		++*ret_len;
	return name;
}

void text_position(const char *text, size_t len, size_t offset, uint32_t *ret_line,
		   uint32_t *ret_column)
{
	uint32_t line = 1;
	size_t start = 0;

	for (size_t i = 0; i < offset && i < len; i++) {
		if (text[i] == '\n') {
			line++;
			start = i + 1;
		}
	}
	*ret_line = line;
	*ret_column = (uint32_t)(offset - start) + 1;
}
