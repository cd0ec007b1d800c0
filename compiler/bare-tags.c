/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/bare-tags.h"

#include <string.h>

#include "common/buffer.h"
#include "compiler/host-text.h"

static const char *const words[] = { "struct", "union", "enum", "class" };

/* The keyword of the tag in the cell; NULL when it declares none of this name. */
static const char *in_cell(const struct host_text *h, const char *name, size_t len)
{
	const struct token_list *l = &h->split.tokens;

	for (uint32_t i = 1; i < l->n; i++)
		if (token_is_name(l, i) && token_len(l, i) == len && !memcmp(token_text(l, i), name, len))
			for (size_t k = 0; k < sizeof(words) / sizeof(*words); k++)
				if (token_is(l, i - 1, words[k]))
					return words[k];
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
