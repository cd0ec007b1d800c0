/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cell is made whole around the cursor: where no word stands, a name of ours gives clang a
 * token to complete. Nothing is offered inside comments, strings, directives and numbers. Names
 * come from the session, from clang's completion at the matching place of the unit, and in cells
 * of C from headers and a list of CUDA words; behind `.`, `->` and `::` they are clang's alone.
 * They are sorted by text, to keep the best of each name, and then by priority, with names that
 * begin with `_` last. Beyond about 2000 names the rest is dropped.
 */
#include "compiler/inspect/completion.h"
#include "compiler/frontend/beyond-c.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "compiler/clang/job/clang-shim.h"
#include "compiler/frontend/compile-cpp.h"
#include "compiler/frontend/compile.h"
#include "compiler/frontend/host-text.h"
#include "compiler/text/cpp-cell.h"

#define COMPLETIONS_MAX 2000

/* Inserted where the cursor is not on a word, so that there is a token to find again. */
static const char placeholder[] = "cgpu_cursor";

/* Words of CUDA that clang, which parses the cell as C, does not offer, and functions that device
 * code finds declared. */
static const struct {
	const char *name, *kind, *signature;
} cuda_names[] = {
	{ "__global__", "keyword", "__global__ void entry(...)" },
	{ "__device__", "keyword", "__device__" },
	{ "__constant__", "keyword", "__constant__" },
	{ "__shared__", "keyword", "__shared__" },
	{ "__managed__", "keyword", "__managed__" },
	{ "__host__", "keyword", "__host__" },
	{ "__restrict__", "keyword", "__restrict__" },
	{ "__launch_bounds__", "keyword", "__launch_bounds__(max_threads, min_blocks)" },
	{ "__syncthreads", "function", "void __syncthreads()" },
	{ "__syncwarp", "function", "void __syncwarp(unsigned mask = 0xffffffff)" },
	{ "__threadfence", "function", "void __threadfence()" },
	{ "__shfl_sync", "function",
	  "T __shfl_sync(unsigned mask, T value, int lane, int width = 32)" },
	{ "__shfl_down_sync", "function",
	  "T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32)" },
	{ "__shfl_up_sync", "function",
	  "T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32)" },
	{ "__shfl_xor_sync", "function",
	  "T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32)" },
	{ "__ballot_sync", "function", "unsigned __ballot_sync(unsigned mask, int predicate)" },
	{ "atomicAdd", "function", "T atomicAdd(T *address, T value)" },
	{ "atomicSub", "function", "T atomicSub(T *address, T value)" },
	{ "atomicMax", "function", "T atomicMax(T *address, T value)" },
	{ "atomicMin", "function", "T atomicMin(T *address, T value)" },
	{ "atomicExch", "function", "T atomicExch(T *address, T value)" },
	{ "atomicCAS", "function", "T atomicCAS(T *address, T compare, T value)" },
};

static bool is_word(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') ||
	       (unsigned char)c >= 0x80;
}

void completion_list_release(struct completion_list *l)
{
	mem_pool_release(&l->pool);
	free(l->at);
	*l = (struct completion_list){ 0 };
}

static void add(struct completion_list *l, const struct completion *c)
{
	if (l->n == l->cap) {
		uint32_t cap = l->cap ? 2 * l->cap : 64;
		struct completion *grown =
			l->n < COMPLETIONS_MAX ? realloc(l->at, cap * sizeof(*grown)) : NULL;

		if (!grown)
			return;
		l->at = grown;
		l->cap = cap;
	}
	struct completion *to = &l->at[l->n];

	*to = *c;
	to->text = mem_pool_strdup(&l->pool, c->text);
	to->kind = mem_pool_strdup(&l->pool, c->kind);
	to->type = mem_pool_strdup(&l->pool, c->type);
	to->signature = mem_pool_strdup(&l->pool, c->signature);
	to->comment = mem_pool_strdup(&l->pool, c->comment);
	l->n += to->text && to->kind && to->type && to->signature && to->comment;
}

static void on_completion(void *context, const struct clang_completion *c)
{
	struct completion found = {
		c->text, c->kind, c->type, c->signature, c->comment, c->priority
	};

	/* Names with generated prefixes are internal. */
	if (strncmp(c->text, "cgpu_cell_", 10) && strcmp(c->text, placeholder))
		add(context, &found);
}

struct session_search {
	struct completion_list *list;
	const char *prefix;
	size_t len;
};

static void on_declaration(void *context, const struct declaration *d)
{
	struct session_search *s = context;
	static const char *const kinds[] = {
		[DECLARATION_MACRO] = "macro",
		[DECLARATION_TAG] = "type",
		[DECLARATION_TYPEDEF] = "type",
		[DECLARATION_VARIABLE] = "variable",
		[DECLARATION_FUNCTION] = "function",
		[DECLARATION_ENTRY] = "function",
		[DECLARATION_DEVICE_VARIABLE] = "variable",
	};
	struct completion found = { d->name, kinds[d->kind] ? kinds[d->kind] : "",
				    "",      *d->host ? d->host : d->device,
				    "",      10 };

	if (*found.kind && *d->name && !strncmp(d->name, s->prefix, s->len) &&
	    strncmp(d->name, "cgpu_unnamed", 12) && strncmp(d->name, "enum ", 5))
		add(s->list, &found);
}

/* Returns the place of a byte of the cell in the unit; -1 when it was left out. */
static long unit_offset(const struct unit_text *u, uint32_t at)
{
	for (uint32_t i = 0; i < u->n; i++) {
		const struct unit_text_segment *s = &u->segments[i];

		if (at >= s->cell && at - s->cell < s->end - s->start)
			return (long)(s->start + (at - s->cell));
	}
	return -1;
}

static int ask_clang(struct completion_list *l, struct compiler *c, const char *text,
		     uint32_t start, const char *prefix, struct error *err)
{
	struct mem_pool pool = MEM_POOL_INIT;
	struct host_text h;
	uint32_t line, column;
	long at;
	int failed = host_text_init(&h, text, strlen(text), 0, "cell", &c->session, &pool, err);

	if (!failed && beyond_c(&h.tokens)) {
		host_text_release(&h);
		mem_pool_release(&pool);
		return compile_cpp_complete(c, text, start, prefix, l, on_completion, err);
	}
	if (!failed)
		failed = host_text_write(&h, &c->session, err);
	at = failed ? -1 : unit_offset(&h.unit, start);
	if (at >= 0) {
		struct clang_job job = {
			.options = options_get(&c->options, c->cflags ? c->cflags : "", &c->session,
					       err),
			.name = "cell",
			.text = buffer_text(&h.unit.text),
			.len = h.unit.text.len,
			.context = l,
		};

		text_position(job.text, job.len, (size_t)at, &line, &column);
		if (job.options)
			clang_shim_complete(&job, prefix, line, column, on_completion);
	}
	host_text_release(&h);
	mem_pool_release(&pool);
	return failed;
}

static int by_text(const void *a, const void *b)
{
	const struct completion *x = a, *y = b;
	int order = strcmp(x->text, y->text);

	return order ? order : (x->priority > y->priority) - (x->priority < y->priority);
}

static int by_priority(const void *a, const void *b)
{
	const struct completion *x = a, *y = b;
	bool hidden_x = x->text[0] == '_', hidden_y = y->text[0] == '_';

	if (hidden_x != hidden_y)
		return hidden_x - hidden_y;
	if (x->priority != y->priority)
		return x->priority < y->priority ? -1 : 1;
	return strcmp(x->text, y->text);
}

static void sort_once(struct completion_list *l)
{
	uint32_t n = 0;

	if (!l->n)
		return;
	qsort(l->at, l->n, sizeof(*l->at), by_text);
	for (uint32_t i = 0; i < l->n; i++)
		if (!n || strcmp(l->at[n - 1].text, l->at[i].text))
			l->at[n++] = l->at[i];
	l->n = n;
	qsort(l->at, l->n, sizeof(*l->at), by_priority);
}

static bool is_member(const char *text, uint32_t start)
{
	while (start &&
	       (text[start - 1] == ' ' || text[start - 1] == '\t' || text[start - 1] == '\n'))
		start--;
	return start && (text[start - 1] == '.' ||
			 (start > 1 && text[start - 1] == '>' && text[start - 2] == '-') ||
			 (start > 1 && text[start - 1] == ':' && text[start - 2] == ':'));
}

static void add_cuda_names(struct completion_list *l, const char *prefix)
{
	for (size_t i = 0; i < sizeof(cuda_names) / sizeof(*cuda_names); i++) {
		struct completion found = {
			cuda_names[i].name, cuda_names[i].kind, "", cuda_names[i].signature, "", 60
		};

		if (!strncmp(found.text, prefix, strlen(prefix)))
			add(l, &found);
	}
}

static const char *kind_of_header(char kind)
{
	switch (kind) {
	case 'f':
		return "function";
	case 't':
		return "type";
	case 'm':
		return "macro";
	default:
		return "variable";
	}
}

static void add_headers(struct completion_list *l, const struct compiler_session *s,
			const char *prefix)
{
	uint32_t n;
	const struct header_name *h = header_names_with(&s->headers, prefix, &n);

	for (uint32_t i = 0; i < n; i++) {
		bool macro = h[i].kind == 'm';
		struct completion found = { h[i].name, kind_of_header(h[i].kind),
					    "",        macro ? h[i].name : h[i].signature,
					    "",        macro ? 70 : 50 };

		if (h[i].kind != 's')
			add(l, &found);
	}
}

static bool behind_tag_word(const char *text, uint32_t start)
{
	while (start && text[start - 1] == ' ')
		start--;
	return (start >= 6 && !strncmp(text + start - 6, "struct", 6)) ||
	       (start >= 5 && !strncmp(text + start - 5, "union", 5)) ||
	       (start >= 4 && !strncmp(text + start - 4, "enum", 4));
}

/* Tells whether the byte is in code: inside a comment, a string or a directive nothing is
 * completed. */
static bool in_code(const char *text, size_t len, uint32_t at)
{
	struct mem_pool pool = MEM_POOL_INIT;
	struct token_list l;
	bool found = false;

	if (!token_list_init(&l, text, len, &pool, NULL))
		for (uint32_t i = 0; i < l.n && !found; i++)
			found = l.at[i].kind == TOKEN_NAME && l.at[i].start <= at &&
				at < l.at[i].end;
	mem_pool_release(&pool);
	return found;
}

static int complete(struct completion_list *l, struct compiler *c, const char *text, uint32_t start,
		    uint32_t end, struct error *err)
{
	cleanup_buffer struct buffer whole = BUFFER_INIT, prefix = BUFFER_INIT;
	struct session_search search = { .list = l };

	buffer_append(&prefix, text + start, end - start);
	buffer_append(&whole, text, start);
	buffer_puts(&whole, start == end ? placeholder : buffer_text(&prefix));
	buffer_puts(&whole, text + end);
	if (buffer_check(&whole, err) || buffer_check(&prefix, err))
		return -1;
	if (!in_code(buffer_text(&whole), whole.len, start))
		return 0;
	search.prefix = buffer_text(&prefix);
	search.len = prefix.len;
	if (compiler_takes_for_cpp(c, text)) {
		if (!is_member(text, start))
			session_each(&c->session, on_declaration, &search);
		return compile_cpp_complete(c, buffer_text(&whole), start, buffer_text(&prefix), l,
					    on_completion, err);
	}
	if (!is_member(text, start)) {
		session_each(&c->session, on_declaration, &search);
		if (prefix.len && !behind_tag_word(text, start)) {
			add_headers(l, &c->session, buffer_text(&prefix));
			if (c->options.cuda_root)
				add_cuda_names(l, buffer_text(&prefix));
		}
	}
	return ask_clang(l, c, buffer_text(&whole), start, buffer_text(&prefix), err);
}

int completion_list_init(struct completion_list *l, struct compiler *c, const char *text,
			 uint32_t cursor, struct error *err)
{
	size_t len = strlen(text);
	uint32_t start = cursor < len ? cursor : (uint32_t)len, end = start;

	*l = (struct completion_list){ 0 };
	mem_pool_init(&l->pool);
	while (start && is_word(text[start - 1]))
		start--;
	l->start = start;
	l->end = end;
	if (start < end && text[start] >= '0' && text[start] <= '9')
		return 0;
	if (complete(l, c, text, start, end, err))
		return -1;
	sort_once(l);
	return 0;
}

bool inspect(struct compiler *c, const char *text, uint32_t cursor, struct buffer *out)
{
	size_t len = strlen(text);
	uint32_t start = cursor < len ? cursor : (uint32_t)len, end = start;
	struct completion_list l;
	bool found = false;

	while (start && is_word(text[start - 1]))
		start--;
	while (end < len && is_word(text[end]))
		end++;
	if (start == end)
		return false;
	const struct declaration *d =
		is_member(text, start) ? NULL
				       : session_find(&c->session, text + start, end - start);

	if (d) {
		buffer_printf(out, "%s\n%s %s of In[%u], line %u", *d->host ? d->host : d->device,
			      declaration_kind_name(d->kind), d->name, d->cell, d->line);
		return true;
	}
	if (!completion_list_init(&l, c, text, end, NULL))
		for (uint32_t i = 0; i < l.n && !found; i++) {
			const struct completion *x = &l.at[i];

			found = strlen(x->text) == end - start &&
				!memcmp(x->text, text + start, end - start);
			if (found)
				buffer_printf(out, "%s\n%s%s%s", x->signature, x->kind,
					      *x->comment ? "\n\n" : "", x->comment);
		}
	completion_list_release(&l);
	return found;
}
