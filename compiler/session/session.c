/* SPDX-License-Identifier: Apache-2.0 */
/* Links connect names and entries, one for each name that an entry declares; the links of a name
 * run from its last entry to its first. */
#include "compiler/session/session.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/text/near-name.h"
#include "compiler/session/session-entry.h"
void session_init(struct compiler_session *s)
{
	*s = (struct compiler_session){ 0 };
	names_init(&s->names);
}

void session_release(struct compiler_session *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		session_entry_release(&s->entries[i]);
	free(s->entries);
	free(s->links);
	free(s->newest);
	header_names_release(&s->headers);
	names_release(&s->names);
	*s = (struct compiler_session){ 0 };
}

/* Grows the array that is indexed by name along with the names. */
static int grow_newest(struct compiler_session *s)
{
	uint32_t want = s->names.cap;
	uint32_t *grown;

	if (s->n_newest >= s->names.n)
		return 0;
	grown = realloc(s->newest, want * sizeof(*grown));
	if (!grown)
		return -1;
	memset(grown + s->n_newest, 0, (want - s->n_newest) * sizeof(*grown));
	s->newest = grown;
	s->n_newest = want;
	return 0;
}

static int link_entry(struct compiler_session *s, uint32_t index)
{
	const struct session_entry *e = &s->entries[index];

	if (grow_newest(s))
		return -1;
	for (uint32_t k = 0; k < e->n_declares; k++) {
		uint32_t *at = &s->newest[e->declares[k]];

		if (s->n_links == s->cap_links) {
			uint32_t cap = s->cap_links ? 2 * s->cap_links : 256;
			struct session_link *grown = realloc(s->links, cap * sizeof(*grown));

			if (!grown)
				return -1;
			s->links = grown;
			s->cap_links = cap;
		}
		while (*at && s->links[*at - 1].entry > index)
			at = &s->links[*at - 1].previous;
		s->links[s->n_links++] = (struct session_link){ index, *at };
		*at = s->n_links;
	}
	return 0;
}

static void unlink_entry(struct compiler_session *s, uint32_t index)
{
	const struct session_entry *e = &s->entries[index];

	for (uint32_t k = 0; k < e->n_declares && e->declares[k] < s->n_newest; k++) {
		uint32_t *at = &s->newest[e->declares[k]];

		while (*at && s->links[*at - 1].entry > index)
			at = &s->links[*at - 1].previous;
		if (*at && s->links[*at - 1].entry == index) {
			*at = s->links[*at - 1].previous;
			s->n_dead_links++;
		}
	}
}

/* Rebuilds the links without those of removed entries. */
static int link_all(struct compiler_session *s)
{
	s->n_links = s->n_dead_links = 0;
	for (uint32_t i = 0; i < s->n_newest; i++)
		s->newest[i] = 0;
	for (uint32_t i = 0; i < s->n; i++)
		if (link_entry(s, i))
			return -1;
	return 0;
}

void session_truncate(struct compiler_session *s, uint32_t total)
{
	while (s->n > total) {
		unlink_entry(s, --s->n);
		session_entry_release(&s->entries[s->n]);
	}
}

static int session_grow(struct compiler_session *s)
{
	uint32_t cap = s->cap ? 2 * s->cap : 256;
	struct session_entry *grown;

	if (s->n < s->cap)
		return 0;
	grown = realloc(s->entries, cap * sizeof(*grown));
	if (!grown)
		return -1;
	s->entries = grown;
	s->cap = cap;
	return 0;
}

static bool same_text(const struct declaration *a, const struct declaration *b)
{
	return a->kind == b->kind && !strcmp(a->name, b->name) && !strcmp(a->host, b->host) &&
	       !strcmp(a->device, b->device) &&
	       !strcmp(declaration_written(a), declaration_written(b));
}

int session_set(struct compiler_session *s, uint32_t index, const struct declaration *d,
		struct error *err)
{
	if (index > s->n)
		return error_set(err, ERROR_PROTOCOL,
				 "a declaration at %u, but there are only %u before", index, s->n);
	if (s->n_dead_links > 1024 && s->n_dead_links > s->n_links / 2 && link_all(s))
		return error_set(err, ERROR_MEMORY, "out of memory for the session's declarations");
	if (index < s->n && same_text(&s->entries[index].d, d)) {
		s->entries[index].d.cell = d->cell;
		s->entries[index].d.line = d->line;
		return 0;
	}
	if (index < s->n) {
		unlink_entry(s, index);
		session_entry_release(&s->entries[index]);
	} else if (session_grow(s)) {
		return error_set(err, ERROR_MEMORY, "out of memory for the session's declarations");
	} else {
		s->n++;
	}
	if (session_entry_init(&s->entries[index], &s->names, d) || link_entry(s, index))
		return error_set(err, ERROR_MEMORY, "out of memory for the session's declarations");
	return 0;
}

void session_hide(struct compiler_session *s, uint32_t index)
{
	if (index >= s->n)
		return;
	s->n_hidden += !s->entries[index].hidden;
	s->entries[index].hidden = true;
}

void session_leave_out(struct compiler_session *s, uint32_t index, bool left_out)
{
	s->n_hidden += left_out ? !s->entries[index].hidden : -s->entries[index].hidden;
	s->entries[index].hidden = s->entries[index].left_out = left_out;
}

uint32_t session_written_at(const struct compiler_session *s, size_t offset)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (offset >= s->entries[i].from && offset < s->entries[i].to)
			return i;
	return TOKEN_NONE;
}

bool session_is_hidden(const struct compiler_session *s, uint32_t index)
{
	return s->entries[index].hidden;
}

void session_show_all(struct compiler_session *s)
{
	for (uint32_t i = 0; s->n_hidden && i < s->n; i++)
		s->entries[i].hidden = s->entries[i].left_out = false;
	s->n_hidden = 0;
}

bool session_declares(const struct compiler_session *s, const char *name, size_t len)
{
	uint32_t i = names_find(&s->names, name, len);
	uint32_t link = session_newest(s, i);
	const struct session_entry *e = link ? &s->entries[s->links[link - 1].entry] : NULL;

	return e && !e->hidden &&
	       (e->d.kind == DECLARATION_FUNCTION || e->d.kind == DECLARATION_VARIABLE);
}

static bool has_word(const char *text, const char *word, size_t len)
{
	struct mem_pool pool = MEM_POOL_INIT;
	struct token_list l;
	bool found = false;

	if (*text && !token_list_init(&l, text, strlen(text), &pool, NULL))
		for (uint32_t i = 0; i < l.n; i++)
			found |= token_is_name(&l, i) && token_len(&l, i) == len &&
				 !memcmp(token_text(&l, i), word, len);
	mem_pool_release(&pool);
	return found;
}

bool session_why_unknown(const struct compiler_session *s, const char *name, size_t len,
			 struct buffer *out)
{
	for (uint32_t i = s->n; i-- > 0;) {
		const struct declaration *d = &s->entries[i].d;
		bool itself = strlen(d->name) == len && !memcmp(d->name, name, len);

		if (d->kind == DECLARATION_DROPPED && (itself || has_word(d->device, name, len))) {
			buffer_puts(out, d->host);
			return true;
		}
		if (!itself)
			continue;
		if (s->entries[i].hidden) {
			buffer_printf(out,
				      "'%s' was defined by this cell as it was before, In[%u]; "
				      "keep its definition here, or use it in another cell",
				      d->name, d->cell);
			return true;
		}
	}
	return false;
}

const struct declaration *session_nearest(const struct compiler_session *s, const char *name)
{
	size_t least = near_name_limit(name) + 1;
	const struct declaration *best = NULL;

	for (uint32_t i = s->n; i-- > 0;) {
		const struct declaration *d = &s->entries[i].d;
		bool is_cpp = d->kind == DECLARATION_CPP && *d->host;
		bool is_value = !strcmp(declaration_space(d->kind), "ordinary") ||
				d->kind == DECLARATION_MACRO || is_cpp;
		const char *known = is_cpp ? d->device : d->name;
		size_t n = is_value && !s->entries[i].hidden && *known
				   ? near_name_edits(name, known)
				   : least;

		if (n && n < least) {
			least = n;
			best = d;
		}
	}
	return best;
}

/* Returns the text behind the name in `#define name`; NULL for an #undef. */
static const char *behind_macro_name(const struct declaration *d)
{
	const char *define = strstr(d->host, "define"),
		   *name = define ? strstr(define + strlen("define"), d->name) : NULL;

	return name ? name + strlen(d->name) : NULL;
}

static const char *macro(void *context, const char *text, size_t len)
{
	struct compiler_session *s = context;
	const struct declaration *d = session_find(s, text, len);

	return d && d->kind == DECLARATION_MACRO ? behind_macro_name(d) : NULL;
}

struct name_source session_names(struct compiler_session *s)
{
	return (struct name_source){ macro, s };
}
char *session_included_path(const struct declaration *d)
{
	static const char start[] = "#include \"/";
	size_t len = strlen(d->host), skip = strlen(start) - 1;

	if (d->kind != DECLARATION_INCLUDE || strncmp(d->host, start, strlen(start)))
		return NULL;
	return strndup(d->host + skip, len - skip - 1);
}

bool session_includes(const struct compiler_session *s, const char *path)
{
	for (uint32_t i = 0; i < s->n; i++) {
		cleanup_free char *have = session_included_path(&s->entries[i].d);

		if (have && !strcmp(have, path))
			return true;
	}
	return false;
}

void session_each(const struct compiler_session *s,
		  void (*found)(void *context, const struct declaration *d), void *context)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (declaration_has_name(s->entries[i].d.kind) &&
		    s->entries[i].d.kind != DECLARATION_CPP)
			found(context, &s->entries[i].d);
}

const struct declaration *session_find(const struct compiler_session *s, const char *name,
				       size_t len)
{
	return session_at(s, session_index(s, name, len));
}

uint32_t session_index(const struct compiler_session *s, const char *name, size_t len)
{
	uint32_t i = names_find(&s->names, name, len);

	return session_newest(s, i) ? s->links[session_newest(s, i) - 1].entry : TOKEN_NONE;
}

const struct declaration *session_at(const struct compiler_session *s, uint32_t entry)
{
	return entry < s->n ? &s->entries[entry].d : NULL;
}

uint32_t session_count(const struct compiler_session *s)
{
	return s->n;
}
