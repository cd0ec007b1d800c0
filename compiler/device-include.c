/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words decide: each item of a header is taken that declares a word of the device code, or of what was taken before. Directives
 * of #if are always taken, so that a macro is the one that host code has.
 */
#include "compiler/device-include.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "common/cleanup.h"
#include "common/error.h"
#include "common/mem-pool.h"
#include "common/names.h"
#include "compiler/directives.h"
#include "compiler/host-text.h"
#include "compiler/include-text.h"
#include "compiler/local-include.h"

#define HEADER_MAX (256u * 1024)
#define HEADERS_MAX 32

struct header {
	const char *path, *text;
	struct split split;
	struct declaration_parts *parts;
	bool *taken; /* by item */
};

struct headers {
	struct mem_pool *pool;
	struct session *session;
	struct names words; /* that are spoken of */
	struct header at[HEADERS_MAX];
	uint32_t n;
};

static void add_header(struct headers *hs, const char *path);

/* The includes among these tokens, by their absolute paths, as seen from a folder; "": the working folder. */
static void add_includes(struct headers *hs, const struct token_list *l, const char *folder)
{
	for (uint32_t i = 0; i < l->n; i++) {
		char found[PATH_MAX], name[PATH_MAX];
		const char *rest;
		size_t n;

		if (!token_directive_is(l, i, "include"))
			continue;
		rest = token_directive_rest(l, i, &n);
		if (local_include_name(rest, n, name) && local_include_in(folder, name, found))
			add_header(hs, found);
	}
}

/* Those that it includes come first. */
static void add_header(struct headers *hs, const char *path)
{
	struct name_source names = session_names(hs->session);
	char *folder = mem_pool_strdup(hs->pool, path);
	struct header header = { .path = mem_pool_strdup(hs->pool, path), .text = include_text_read(path, HEADER_MAX, hs->pool) };
	uint32_t n;

	for (uint32_t i = 0; i < hs->n; i++)
		if (!strcmp(hs->at[i].path, path))
			return;
	if (hs->n == HEADERS_MAX || !folder || !header.path || !header.text ||
	    split_init(&header.split, header.text, strlen(header.text), &names, hs->pool, NULL))
		return;
	header.parts = mem_pool_array(hs->pool, header.split.n_items + 1, sizeof(*header.parts));
	header.taken = mem_pool_array(hs->pool, header.split.n_items + 1, sizeof(*header.taken));
	if (!header.parts || !header.taken)
		return;
	for (uint32_t i = 0; i < header.split.n_items; i++)
		if (header.split.items[i].kind == ITEM_DECLARATION &&
		    declaration_parts_init(&header.parts[i], &header.split.tokens, &header.split.items[i], hs->pool, NULL))
			return;
	n = hs->n;
	hs->at[hs->n++] = header;
	local_include_folder(folder);
	add_includes(hs, &header.split.tokens, folder);
	/* The includes have been put behind it. */
	memmove(&hs->at[n], &hs->at[n + 1], (hs->n - n - 1) * sizeof(*hs->at));
	hs->at[hs->n - 1] = header;
}

static bool is_word(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

static void speak_of(struct headers *hs, const char *text, size_t len)
{
	for (size_t i = 0, n; i < len; i += n ? n : 1) {
		for (n = 0; i + n < len && is_word(text[i + n]);)
			n++;
		if (n)
			names_add(&hs->words, text + i, n);
	}
}

static bool is_spoken_of(const struct headers *hs, const struct token_list *l, uint32_t i)
{
	return token_is_name(l, i) && names_find(&hs->words, token_text(l, i), token_len(l, i)) != NAME_NONE;
}

/* The tag and the constants of a structure or enum, also of those inside it. */
static bool has_tag_of(const struct headers *hs, const struct token_list *l, const struct declaration_parts *p)
{
	if (p->body == TOKEN_NONE)
		return false;
	for (uint32_t i = p->tag; i < p->specifiers_end; i++) {
		bool names = i == p->tag_name || token_is(l, i - 1, "struct") || token_is(l, i - 1, "union") ||
			     token_is(l, i - 1, "enum") || token_is(l, p->tag, "enum");

		if (names && is_spoken_of(hs, l, i))
			return true;
	}
	return false;
}

static bool is_wanted(const struct headers *hs, const struct header *h, uint32_t i)
{
	const struct token_list *l = &h->split.tokens;
	const struct item *item = &h->split.items[i];
	const struct declaration_parts *p = &h->parts[i];

	if (item->kind == ITEM_DIRECTIVE) {
		bool defines = token_directive_is(l, item->first, "define") || token_directive_is(l, item->first, "undef");
		const char *name;
		size_t n = defines ? directives_macro(l, item->first, &name) : 0;

		return defines ? n && names_find(&hs->words, name, n) != NAME_NONE
			 : token_directive_is(l, item->first, "if") || token_directive_is(l, item->first, "ifdef") ||
				   token_directive_is(l, item->first, "ifndef") || token_directive_is(l, item->first, "else") ||
				   token_directive_is(l, item->first, "elif") || token_directive_is(l, item->first, "endif");
	}
	if (item->kind != ITEM_DECLARATION || p->is_other)
		return false;
	for (uint32_t k = 0; k < p->n; k++) {
		const struct declarator *d = &p->declarators[k];
		bool constant = p->is_const && !d->is_pointer && d->equals != TOKEN_NONE;

		if ((p->is_typedef || constant) && d->name != TOKEN_NONE && is_spoken_of(hs, l, d->name))
			return true;
	}
	return (p->is_typedef || !p->n) && has_tag_of(hs, l, p);
}

static bool take_more(struct headers *hs)
{
	bool any = false;

	for (uint32_t k = 0; k < hs->n; k++) {
		struct header *h = &hs->at[k];

		for (uint32_t i = 0; i < h->split.n_items; i++) {
			const struct token *t = h->split.tokens.at;
			const struct item *item = &h->split.items[i];

			if (h->taken[i] || !is_wanted(hs, h, i))
				continue;
			any = h->taken[i] = true;
			speak_of(hs, h->text + t[item->first].start, t[item->end - 1].end - t[item->first].start);
		}
	}
	return any;
}

static void put_header(const struct header *h, struct buffer *out)
{
	const struct token *t = h->split.tokens.at;

	for (uint32_t i = 0; i < h->split.n_items; i++) {
		const struct item *item = &h->split.items[i];

		if (h->taken[i])
			buffer_printf(out, "\n#line %u \"%s\"\n%.*s", t[item->first].line, h->path,
				      (int)(t[item->end - 1].end - t[item->first].start), h->text + t[item->first].start);
	}
}

int device_include_write(const struct host_text *h, struct session *session, const char *text, struct buffer *out,
			 struct error *err)
{
	struct headers hs = { .pool = h->pool, .session = session };

	names_init(&hs.words);
	add_includes(&hs, &h->split.tokens, "");
	for (uint32_t i = 0; i < session_count(session); i++) {
		cleanup_free char *path = session_included_path(session_at(session, i));

		if (path)
			add_header(&hs, path);
	}
	if (hs.n)
		speak_of(&hs, text, strlen(text));
	while (hs.n && take_more(&hs))
		;
	for (uint32_t i = 0; i < hs.n; i++)
		put_header(&hs.at[i], out);
	names_release(&hs.words);
	return buffer_check(out, err);
}
