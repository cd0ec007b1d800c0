/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/bare-tags.h"

#include <string.h>

#include "common/buffer.h"
#include "compiler/host-text.h"

/* The words that a tag stands behind. */
static const char *const words[] = { "struct", "union", "enum", "class" };

/* The keyword of the tag in the cell; NULL when it declares none of this name. */
static const char *in_cell(const struct host_text *h, const char *name, size_t len)
{
	const struct token_list *l = &h->split.tokens;

	for (uint32_t i = 0; i < l->n; i++)
		for (size_t k = 0; k < sizeof(words) / sizeof(*words); k++) {
			uint32_t tag;

			if (!token_is(l, i, words[k]))
				continue;
			split_tag(l, i, &tag);
			if (tag != TOKEN_NONE && token_len(l, tag) == len && !memcmp(token_text(l, tag), name, len))
				return words[k];
		}
	return NULL;
}

static const char *in_session(const struct session *session, const char *name, size_t len)
{
	for (uint32_t i = session_count(session); i-- > 0;) {
		const struct declaration *d = session_at(session, i);

		if (d->kind != DECLARATION_TAG || strlen(d->name) != len || memcmp(d->name, name, len) != 0 ||
		    session_is_hidden(session, i))
			continue;
		for (size_t k = 0; k < sizeof(words) / sizeof(*words); k++)
			if (!strncmp(d->host, words[k], strlen(words[k])))
				return words[k];
		return strstr(d->host, "union") ? words[1] : words[0]; /* behind an attribute or a pragma */
	}
	return NULL;
}

bool bare_tags_take(struct host_text *h, const struct session *session, const char *name, size_t len)
{
	struct bare_tags *b = &h->bare_tags;
	struct buffer text = BUFFER_INIT;
	const char *word = in_cell(h, name, len);

	if (!word)
		word = in_session(session, name, len);
	for (uint32_t i = 0; i < b->n; i++)
		if (strlen(b->names[i]) == len && !memcmp(b->names[i], name, len))
			return false;
	if (!b->names) {
		b->names = mem_pool_array(h->pool, h->split.tokens.n + 1, sizeof(*b->names));
		b->typedefs = mem_pool_array(h->pool, h->split.tokens.n + 1, sizeof(*b->typedefs));
	}
	if (!word || !b->names || !b->typedefs || b->n > h->split.tokens.n)
		return false;
	if (!strcmp(word, "class"))
		word = words[0];
	buffer_printf(&text, "typedef %s %.*s %.*s;", word, (int)len, name, (int)len, name);
	b->names[b->n] = mem_pool_strndup(h->pool, name, len);
	b->typedefs[b->n] = mem_pool_strdup(h->pool, buffer_text(&text));
	buffer_release(&text);
	if (!b->names[b->n] || !b->typedefs[b->n])
		return false;
	b->n++;
	return true;
}

void bare_tags_write(const struct bare_tags *b, struct buffer *out)
{
	if (b->n)
		buffer_puts(out, "\n#line 1 \"cgpu\"\n");
	for (uint32_t i = 0; i < b->n; i++)
		buffer_printf(out, "%s\n", b->typedefs[i]);
}

/*
 * The text of the structure with this tag, as device code has it: of the cell, else of the session. NULL: there is none.
 * *ret_class: it is one of C++.
 */
static const char *structure(const struct host_text *h, const struct session *session, uint32_t name, bool *ret_class)
{
	const struct token_list *l = &h->split.tokens;
	size_t len = token_len(l, name);

	for (uint32_t i = 0; i < h->split.n_items; i++) {
		const struct declaration_parts *p = &h->parts[i];

		*ret_class = h->split.items[i].is_class;
		if (p->tag_name != TOKEN_NONE && p->body != TOKEN_NONE && !token_is(l, p->tag, "enum") &&
		    token_len(l, p->tag_name) == len && !memcmp(token_text(l, p->tag_name), token_text(l, name), len))
			return mem_pool_strndup(h->pool, token_text(l, p->tag),
						l->at[token_behind(l, p->body) - 1].end - l->at[p->tag].start);
	}
	for (uint32_t e = session_count(session); e-- > 0;) {
		const struct declaration *d = session_at(session, e);

		*ret_class = strcmp(d->host, d->device) != 0;
		if (d->kind == DECLARATION_TAG && strncmp(d->host, "enum", 4) != 0 && strlen(d->name) == len &&
		    !memcmp(d->name, token_text(l, name), len))
			return d->device;
	}
	return NULL;
}

/* What a constructor would do no C code does. */
static bool has_constructor(struct host_text *h, const char *text, uint32_t name)
{
	const struct token_list *of = &h->split.tokens;
	struct token_list l;

	if (token_list_init(&l, text, strlen(text), h->pool, NULL))
		return true;
	for (uint32_t i = 0; i < l.n; i++)
		if (token_is(&l, i + 1, "(") && token_len(&l, i) == token_len(of, name) &&
		    !memcmp(token_text(&l, i), token_text(of, name), token_len(of, name)))
			return true;
	return false;
}

static void edit_value(struct host_text *h, const struct session *session, uint32_t i)
{
	const struct token_list *l = &h->split.tokens;
	bool braces = token_is(l, i + 1, "{"), empty = token_is(l, i + 1, "(") && token_is(l, i + 2, ")");
	bool is_class = false;
	const char *text = braces || empty ? structure(h, session, i, &is_class) : NULL;

	/* A function of C may have the name of a structure of C. */
	if (!text || (empty && !is_class) || has_constructor(h, text, i))
		return;
	edit_list_add(&h->edits, l->at[i].start, l->at[i].start, "(struct ");
	edit_list_add(&h->edits, l->at[i].end, l->at[i].end, ")");
	if (empty)
		edit_list_add(&h->edits, l->at[i + 1].start, l->at[i + 2].end, "{}");
}

static bool is_scoped_enum(const struct host_text *h, const struct session *session, uint32_t name)
{
	const struct token_list *l = &h->split.tokens;

	for (uint32_t i = 2; i < l->n; i++)
		if (token_len(l, i) == token_len(l, name) && !memcmp(token_text(l, i), token_text(l, name), token_len(l, name)) &&
		    split_is_scoped_enum(l, i - 2))
			return true;
	for (uint32_t e = session_count(session); e-- > 0;) {
		const struct declaration *d = session_at(session, e);

		if (d->kind == DECLARATION_TAG && strlen(d->name) == token_len(l, name) &&
		    !memcmp(d->name, token_text(l, name), token_len(l, name)))
			return !strncmp(d->device, "enum class", 10) || !strncmp(d->device, "enum struct", 11);
	}
	return false;
}

/* Op::Add of `enum class Op`: class-text.h has its name in C. */
static void edit_scoped(struct host_text *h, const struct session *session, uint32_t i)
{
	const struct token_list *l = &h->split.tokens;

	if (token_is(l, i, "::") && is_scoped_enum(h, session, i - 1))
		edit_list_add(&h->edits, l->at[i].start, l->at[i].end, SCOPED_SEPARATOR);
}

void bare_tags_edit(struct host_text *h, const struct session *session)
{
	static const char *const before[] = { "(", ",", "=", "return" };
	const struct token_list *l = &h->split.tokens;

	for (uint32_t k = 0; k < h->split.n_items; k++) {
		const struct item *item = &h->split.items[k];

		if (!(item->world & WORLD_HOST) || item->kind == ITEM_DIRECTIVE)
			continue;
		for (uint32_t i = item->first + 1; i < item->end; i++) {
			edit_scoped(h, session, i);
			for (size_t b = 0; b < sizeof(before) / sizeof(*before) && split_at_identifier(l, i); b++)
				if (token_is(l, i - 1, before[b]))
					edit_value(h, session, i);
		}
	}
}
