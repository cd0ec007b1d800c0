/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cell is made whole around the cursor: where no word stands, a name of ours gives clang a
 * token to complete. Nothing is offered inside comments, strings and numbers, and of directives in
 * the path of an #include only, which clang completes from its folders. Names
 * come from the session, from clang's completion at the matching place of the unit, and in cells
 * of C from headers and a list of CUDA words; behind `.`, `->` and `::` they are clang's alone.
 * They are sorted by text, to keep the best of each name, and then by priority, with names that
 * begin with `_` last. Beyond about 2000 names the rest is dropped.
 */
#include "compiler/inspect/completion.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "compiler/clang/job/clang-shim.h"
#include "compiler/frontend/compile-cuda.h"
#include "compiler/frontend/compile.h"
#include "compiler/inspect/cursor.h"

#define COMPLETIONS_MAX 2000

/* Words of CUDA that clang does not offer, since they are macros, builtins, or none of C, and
 * functions that device code finds declared. */
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

void completion_list_release(struct completion_list *l)
{
	mem_pool_release(&l->pool);
	free(l->at);
	*l = (struct completion_list){ 0 };
}

void completion_list_add(struct completion_list *l, const struct completion *c)
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
	l->n += to->text && to->kind && to->type && to->signature;
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
	struct completion found = { d->name, kinds[d->kind] ? kinds[d->kind] : "", "",
				    *d->host ? d->host : d->device, 10 };

	if (*found.kind && *d->name && !strncmp(d->name, s->prefix, s->len) &&
	    strncmp(d->name, "cgpu_unnamed", 12) && strncmp(d->name, "enum ", 5))
		completion_list_add(s->list, &found);
}

/* What the candidates are collected for. */
struct completing {
	struct completion_list *list;
	const char *prefix;
	char behind; /* of a path: the character behind the cursor; 0 of other text */
};

static void on_completion(void *context, const struct clang_completion *c)
{
	const struct completing *to = context;
	struct completion found = { c->text, c->kind, c->type, c->signature, c->priority };
	size_t len = strlen(c->text);
	/* Clang closes the path of a header, which the front end may have done before. */
	bool closed = to->behind && len && c->text[len - 1] == to->behind;
	cleanup_free char *path = closed ? strndup(c->text, len - 1) : NULL;

	if (path)
		found.text = path;
	/* Names with generated prefixes are internal. */
	if (strncmp(c->text, "cgpu_cell_", 10) && strcmp(c->text, CURSOR_PLACEHOLDER))
		completion_list_add(to->list, &found);
}

static void ask(const struct clang_job *job, uint32_t line, uint32_t column)
{
	const struct completing *to = job->context;

	clang_shim_complete(job, to->prefix, line, column, on_completion);
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

void completion_list_sort(struct completion_list *l)
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

static void add_cuda_names(struct completion_list *l, const char *prefix)
{
	for (size_t i = 0; i < sizeof(cuda_names) / sizeof(*cuda_names); i++) {
		struct completion found = { cuda_names[i].name, cuda_names[i].kind, "",
					    cuda_names[i].signature, 60 };

		if (!strncmp(found.text, prefix, strlen(prefix)))
			completion_list_add(l, &found);
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
		struct completion found = { h[i].name, kind_of_header(h[i].kind), "",
					    macro ? h[i].name : h[i].signature, macro ? 70 : 50 };

		if (h[i].kind != 's')
			completion_list_add(l, &found);
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

/* Completes the last part of the path of an #include, which starts at this byte. */
static int complete_path(struct completion_list *l, struct compiler *c, const char *text,
			 uint32_t path, uint32_t at, struct error *err)
{
	cleanup_buffer struct buffer typed = BUFFER_INIT;
	struct completing to = { .list = l, .behind = text[at] };
	const struct cell_question q = { .ask = ask, .data = &to };

	buffer_append(&typed, text + path, at - path);
	if (buffer_check(&typed, err))
		return -1;
	to.prefix = buffer_text(&typed);
	l->start = at;
	while (l->start > path + 1 && text[l->start - 1] != '/')
		l->start--;
	return cursor_ask_path(c, to.prefix, &q, err);
}

static int complete(struct completion_list *l, struct compiler *c, const char *text,
		    const struct cursor *k, struct error *err)
{
	cleanup_buffer struct buffer whole = BUFFER_INIT, prefix = BUFFER_INIT;
	struct session_search search = { .list = l };
	struct completing to = { .list = l };
	const struct cell_question q = { .ask = ask, .data = &to };

	buffer_append(&prefix, text + k->start, k->end - k->start);
	cursor_put_text(k, text, &whole);
	if (buffer_check(&whole, err) || buffer_check(&prefix, err))
		return -1;
	if (!cursor_is_in_code(buffer_text(&whole), whole.len, k->start))
		return 0;
	to.prefix = search.prefix = buffer_text(&prefix);
	search.len = prefix.len;
	if (!cursor_is_of_member(text, k->start)) {
		session_each(&c->session, on_declaration, &search);
		if (prefix.len && !behind_tag_word(text, k->start)) {
			if (!compiler_takes_for_cpp(c, text) && !compile_cuda_is(text))
				add_headers(l, &c->session, search.prefix);
			if (c->options.cuda_root)
				add_cuda_names(l, search.prefix);
		}
	}
	return cursor_ask(c, buffer_text(&whole), k->start, &q, err);
}

int completion_list_init(struct completion_list *l, struct compiler *c, const char *text,
			 uint32_t at, struct error *err)
{
	struct cursor k = cursor_at(text, at, false);
	uint32_t path = cursor_in_include(text, k.end);

	*l = (struct completion_list){ .start = k.start, .end = k.end };
	mem_pool_init(&l->pool);
	if (!path && k.start < k.end && text[k.start] >= '0' && text[k.start] <= '9')
		return 0;
	if (path ? complete_path(l, c, text, path, k.end, err) : complete(l, c, text, &k, err))
		return -1;
	completion_list_sort(l);
	return 0;
}
