/* SPDX-License-Identifier: Apache-2.0 */
/* Whole words decide who uses whom: an entry too many costs time only. */
#include "compiler/device-follow.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "common/error.h"
#include "common/mem-pool.h"
#include "compiler/device-text.h"
#include "compiler/device-variable.h"
#include "compiler/host-text.h"

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool mentions(const char *text, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = text; len && (at = strstr(at, word)); at += len)
		if ((at == text || !is_word(at[-1])) && !is_word(at[len]))
			return true;
	return false;
}

/* The name token of a device function or class that item i defines; TOKEN_NONE for all else. */
static uint32_t defined_by(const struct host_text *h, uint32_t i)
{
	const struct item *item = &h->split.items[i];
	const struct declaration_parts *p = &h->parts[i];

	if (item->is_class)
		return p->tag_name;
	if (!(item->world & WORLD_DEVICE) || item->is_entry || item->kind == ITEM_DIRECTIVE)
		return TOKEN_NONE;
	if (p->is_other || !p->n)
		return split_template_name(&h->split.tokens, item);
	return p->declarators[0].is_function ? p->declarators[0].name : TOKEN_NONE;
}

static bool is_followed(const struct declaration *d)
{
	return d->kind == DECLARATION_DEVICE_FUNCTION || d->kind == DECLARATION_FUNCTION || d->kind == DECLARATION_TAG;
}

/* Is there an earlier text of this name, another one than the cell's? */
static bool is_changed(const struct session *session, const char *name, const char *text)
{
	for (uint32_t e = session_count(session); e-- > 0;) {
		const struct declaration *d = session_at(session, e);

		if (is_followed(d) && *d->device && !strcmp(d->name, name))
			return strcmp(d->device, text) != 0;
	}
	return false;
}

/* Is the name at token t a type of the cell's or the session's, which a prototype in front of both would not know? */
static bool names_type(const struct host_text *h, const struct session *session, uint32_t t)
{
	const struct token_list *l = &h->split.tokens;

	if (!split_at_identifier(l, t) || !(token_is_name(l, t + 1) || token_is(l, t + 1, "*") || token_is(l, t + 1, "&")))
		return false;
	for (uint32_t i = 0; i < h->n_masks; i++)
		if (h->masks[i].len == token_len(l, t) && !memcmp(h->masks[i].name, token_text(l, t), token_len(l, t)))
			return true;
	return session_find(session, token_text(l, t), token_len(l, t)) != NULL;
}

/* Can the function be declared in front of all else? */
static bool has_prototype(const struct host_text *h, const struct session *session, uint32_t i)
{
	const struct item *item = &h->split.items[i];

	if (item->kind != ITEM_FUNCTION || item->is_class)
		return false;
	for (uint32_t t = item->first; t < item->body; t++)
		if (names_type(h, session, t) || token_is(&h->split.tokens, t, "=") || token_is(&h->split.tokens, t, "auto"))
			return false;
	return true;
}

struct search {
	const struct host_text *h;
	const struct session *session;
	const char **names; /* what has changed, and who uses that */
	uint32_t n_names;
	bool *known; /* by entry of the session */
};

static void find_changed(struct search *s, struct device_followers *ret)
{
	const struct token_list *l = &s->h->split.tokens;

	for (uint32_t i = 0; i < s->h->split.n_items; i++) {
		uint32_t name = defined_by(s->h, i);
		const char *word = NULL, *text = NULL;

		if (name != TOKEN_NONE)
			word = mem_pool_strndup(s->h->pool, token_text(l, name), token_len(l, name));
		if (word)
			text = device_text_later(s->h, i);
		if (!text || !is_changed(s->session, word, text))
			continue;
		s->names[s->n_names++] = word;
		if (has_prototype(s->h, s->session, i))
			ret->items[ret->n_items++] = i;
	}
}

static bool uses_changed(const struct search *s, const char *text)
{
	for (uint32_t n = 0; n < s->n_names; n++)
		if (s->names[n] && mentions(text, s->names[n]))
			return true;
	return false;
}

/* Over any number of steps: a function that uses a changed one is as good as changed. */
static void find_users(struct search *s)
{
	bool more = true;

	while (more) {
		more = false;
		for (uint32_t e = 0; e < session_count(s->session); e++) {
			const struct declaration *d = session_at(s->session, e);

			if (s->known[e] || !is_followed(d) || !*d->name || !uses_changed(s, d->device))
				continue;
			s->known[e] = more = true;
			s->names[s->n_names++] = d->name;
		}
	}
}

static bool is_own(const struct host_text *h, const char *name)
{
	for (uint32_t i = 0; i < h->n_masks; i++)
		if (!strncmp(h->masks[i].name, name, h->masks[i].len) && !is_word(name[h->masks[i].len]))
			return true;
	return false;
}

int device_follow_find(const struct host_text *h, const struct session *session, struct device_followers *ret, struct error *err)
{
	uint32_t all = session_count(session);
	struct search s = {
		.h = h,
		.session = session,
		.names = mem_pool_array(h->pool, h->split.n_items + all + 1, sizeof(*s.names)),
		.known = mem_pool_array(h->pool, all + 1, sizeof(*s.known)),
	};

	*ret = (struct device_followers){
		.at = mem_pool_array(h->pool, all + 1, sizeof(*ret->at)),
		.items = mem_pool_array(h->pool, h->split.n_items + 1, sizeof(*ret->items)),
	};
	if (!s.names || !s.known || !ret->at || !ret->items)
		return error_set(err, ERROR_MEMORY, "out of memory for the entries that a cell changes");
	find_changed(&s, ret);
	if (!s.n_names)
		return 0;
	find_users(&s);
	for (uint32_t e = 0; e < all; e++) {
		const struct declaration *d = session_at(session, e);

		if (d->kind == DECLARATION_ENTRY && !session_is_hidden(session, e) && !is_own(h, d->name) &&
		    uses_changed(&s, d->device))
			ret->at[ret->n++] = d;
	}
	return 0;
}
