/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each entry lists the names it declares (a struct also its nested tags, an enum its constants) and
 * the names it mentions. Composing marks what is needed from the cell's own words outwards, then
 * writes the marked entries in session order; an entry that was replaced stands later than its old
 * users, so a user first writes what it mentions.
 */
#include "compiler/session.h"

#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "common/cleanup.h"
#include "common/error.h"
#include "compiler/local-include.h"
#include "compiler/macro-text.h"
#include "compiler/own-names.h"

struct use {
	uint32_t name;
	bool is_tag;	 /* `struct name` */
	bool by_pointer; /* `struct name *`: an incomplete type will do */
};

struct session_entry {
	struct declaration d; /* texts owned */
	uint32_t *declares;   /* owned */
	uint32_t n_declares;
	struct use *uses; /* owned */
	uint32_t n_uses;
	bool hidden; /* from the words of the cell being compiled */
};

void session_init(struct session *s)
{
	*s = (struct session){ 0 };
	names_init(&s->names);
}

static void entry_release(struct session_entry *e)
{
	free((char *)e->d.name);
	free((char *)e->d.host);
	free((char *)e->d.device);
	free(e->declares);
	free(e->uses);
}

void session_release(struct session *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		entry_release(&s->entries[i]);
	free(s->entries);
	free(s->links);
	free(s->newest);
	free(s->header);
	free(s->headers);
	names_release(&s->names);
	*s = (struct session){ 0 };
}

/* The arrays that are indexed by name grow with the names. */
static int grow_by_name(struct session *s)
{
	uint32_t want = s->names.cap, *newest;
	uint8_t *header;

	if (s->n_by_name >= s->names.n)
		return 0;
	newest = realloc(s->newest, want * sizeof(*newest));
	if (newest)
		s->newest = newest;
	header = realloc(s->header, want);
	if (header)
		s->header = header;
	if (!newest || !header)
		return -1;
	memset(newest + s->n_by_name, 0, (want - s->n_by_name) * sizeof(*newest));
	memset(header + s->n_by_name, 0, want - s->n_by_name);
	s->n_by_name = want;
	return 0;
}

static uint32_t intern(struct session *s, const char *text, size_t len)
{
	uint32_t name = names_add(&s->names, text, len);

	return name == NAME_NONE || grow_by_name(s) ? NAME_NONE : name;
}

static void add_declared(struct session *s, struct session_entry *e, const char *text, size_t len)
{
	uint32_t name = intern(s, text, len);
	uint32_t *grown = name == NAME_NONE
				  ? NULL
				  : realloc(e->declares, (e->n_declares + 1) * sizeof(*grown));

	if (!grown)
		return;
	e->declares = grown;
	e->declares[e->n_declares++] = name;
}

/* Enumerators: the names that follow `{` or `,` at the depth of the enum's braces. */
static void add_enumerators(struct session *s, struct session_entry *e, const struct token_list *l,
			    uint32_t open)
{
	for (uint32_t i = open; i < l->n && i < l->at[open].match; i++) {
		if ((i == open || token_is(l, i, ",")) && token_is_name(l, i + 1))
			add_declared(s, e, token_text(l, i + 1), token_len(l, i + 1));
		else if (i > open && (token_is(l, i, "(") || token_is(l, i, "{")))
			i = token_behind(l, i) - 1;
	}
}

static void add_nested(struct session *s, struct session_entry *e, const struct token_list *l)
{
	for (uint32_t i = 0; i < l->n; i++) {
		bool is_enum = token_is(l, i, "enum");
		uint32_t at = i + 1;

		if (!is_enum && !token_is(l, i, "struct") && !token_is(l, i, "union"))
			continue;
		if (token_is_name(l, at)) {
			if (token_is(l, at + 1, "{"))
				add_declared(s, e, token_text(l, at), token_len(l, at));
			at++;
		}
		if (is_enum && token_is(l, at, "{"))
			add_enumerators(s, e, l, at);
	}
}

/* `int a;`, `T *a[N];`: the name of a member or parameter is no use of a variable of that name. */
static bool is_member(const struct token_list *l, uint32_t i)
{
	uint32_t before = i;

	if (!token_is(l, i + 1, ";") && !token_is(l, i + 1, ",") && !token_is(l, i + 1, "[") && !token_is(l, i + 1, ":") &&
	    !token_is(l, i + 1, ")"))
		return false;
	while (before && token_is(l, before - 1, "*"))
		before--;
	if (!before || token_is(l, before - 1, "struct") || token_is(l, before - 1, "union") ||
	    token_is(l, before - 1, "enum"))
		return false;
	return token_is_name(l, before - 1) || token_is(l, before - 1, "}") || (before < i && token_is(l, before - 1, "("));
}

static void add_uses(struct session *s, struct session_entry *e, const struct token_list *l)
{
	struct use *uses = realloc(e->uses, (e->n_uses + l->n + 1) * sizeof(*uses));
	bool has_members = e->d.kind == DECLARATION_TAG || e->d.kind == DECLARATION_TYPEDEF;
	bool in_size = false; /* in the width of a bit-field or the size of an array stand expressions */

	if (!uses)
		return;
	for (uint32_t i = 0; i < l->n; i++) {
		if (token_is(l, i, ":") || token_is(l, i, "["))
			in_size = true;
		else if (token_is(l, i, ";") || token_is(l, i, "]"))
			in_size = false;
		if (!token_is_name(l, i) || split_is_keyword(token_text(l, i), token_len(l, i)))
			continue;
		if (has_members && !in_size && is_member(l, i))
			continue;
		uint32_t name = intern(s, token_text(l, i), token_len(l, i));
		bool record = i && (token_is(l, i - 1, "struct") || token_is(l, i - 1, "union")),
		     tag = record || (i && token_is(l, i - 1, "enum"));

		if (name != NAME_NONE)
			uses[e->n_uses++] = (struct use){ name, tag, record && token_is(l, i + 1, "*") };
	}
	e->uses = uses;
}

/* A #define is one directive token: its body is lexed by itself. */
static void index_text(struct session *s, struct session_entry *e, const char *text,
		       struct mem_pool *pool)
{
	struct token_list l;

	if (e->d.kind == DECLARATION_MACRO) {
		const char *define = strstr(text, "define");

		text = define ? define + strlen("define") : text;
	}
	if (token_list_init(&l, text, strlen(text), pool, NULL))
		return;
	if (e->d.kind == DECLARATION_TAG || e->d.kind == DECLARATION_TYPEDEF)
		add_nested(s, e, &l);
	if (e->d.kind != DECLARATION_INCLUDE)
		add_uses(s, e, &l);
}

/* A class: the one of C names less. */
static bool has_two_texts(const struct declaration *d)
{
	return (d->kind == DECLARATION_TAG || d->kind == DECLARATION_TYPEDEF || d->kind == DECLARATION_DEVICE_FUNCTION) &&
	       *d->host && strcmp(d->host, d->device) != 0;
}

static int entry_init(struct session *s, struct session_entry *e, const struct declaration *d)
{
	struct mem_pool pool = MEM_POOL_INIT;
	struct token_list l;

	*e = (struct session_entry){ .d = *d };
	e->d.name = strdup(d->name);
	e->d.host = strdup(d->host);
	e->d.device = strdup(d->device);
	if (!e->d.name || !e->d.host || !e->d.device)
		return -1;
	if (d->kind == DECLARATION_DROPPED)
		return 0;
	/* What C++ cells declare is no name of C. */
	if (*d->name && d->kind != DECLARATION_CPP)
		add_declared(s, e, d->name, strlen(d->name));
	index_text(s, e, *d->host ? e->d.host : e->d.device, &pool);
	if (has_two_texts(d) && !token_list_init(&l, e->d.device, strlen(e->d.device), &pool, NULL))
		add_uses(s, e, &l);
	mem_pool_release(&pool);
	return 0;
}

/* The links of a name run from the last entry to the first. */
static int link_entry(struct session *s, uint32_t index)
{
	const struct session_entry *e = &s->entries[index];

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

static void unlink_entry(struct session *s, uint32_t index)
{
	const struct session_entry *e = &s->entries[index];

	for (uint32_t k = 0; k < e->n_declares; k++) {
		uint32_t *at = &s->newest[e->declares[k]];

		while (*at && s->links[*at - 1].entry > index)
			at = &s->links[*at - 1].previous;
		if (*at && s->links[*at - 1].entry == index) {
			*at = s->links[*at - 1].previous;
			s->n_dead_links++;
		}
	}
}

/* Without those of entries that are gone. */
static int link_all(struct session *s)
{
	s->n_links = s->n_dead_links = 0;
	memset(s->newest, 0, s->n_by_name * sizeof(*s->newest));
	for (uint32_t i = 0; i < s->n; i++)
		if (link_entry(s, i))
			return -1;
	return 0;
}

void session_truncate(struct session *s, uint32_t total)
{
	while (s->n > total) {
		unlink_entry(s, --s->n);
		entry_release(&s->entries[s->n]);
	}
}

static int session_grow(struct session *s)
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
	       !strcmp(a->device, b->device);
}

int session_set(struct session *s, uint32_t index, const struct declaration *d, struct error *err)
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
		entry_release(&s->entries[index]);
	} else if (session_grow(s)) {
		return error_set(err, ERROR_MEMORY, "out of memory for the session's declarations");
	} else {
		s->n++;
	}
	if (entry_init(s, &s->entries[index], d) || link_entry(s, index))
		return error_set(err, ERROR_MEMORY, "out of memory for the session's declarations");
	return 0;
}

void session_hide(struct session *s, uint32_t index)
{
	if (index >= s->n)
		return;
	s->entries[index].hidden = true;
	s->n_hidden++;
}

bool session_is_hidden(const struct session *s, uint32_t index)
{
	return s->entries[index].hidden;
}

void session_show_all(struct session *s)
{
	for (uint32_t i = 0; s->n_hidden && i < s->n; i++)
		s->entries[i].hidden = false;
	s->n_hidden = 0;
}

bool session_declares(const struct session *s, const char *name, size_t len)
{
	uint32_t i = names_find(&s->names, name, len);
	const struct session_entry *e = i == NAME_NONE || !s->newest[i] ? NULL : &s->entries[s->links[s->newest[i] - 1].entry];

	return e && !e->hidden && (e->d.kind == DECLARATION_FUNCTION || e->d.kind == DECLARATION_VARIABLE);
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

bool session_why_unknown(const struct session *s, const char *name, size_t len, struct buffer *out)
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
				      "'%s' was defined by this cell as it was before, In[%u]; keep its "
				      "definition here, or use it in another cell",
				      d->name, d->cell);
			return true;
		}
	}
	return false;
}

int session_add_header_name(struct session *s, const char *name, enum name_class class,
			    struct error *err)
{
	uint32_t i = intern(s, name, strlen(name));

	if (i == NAME_NONE)
		return error_set(err, ERROR_MEMORY, "out of memory for the names of headers");
	s->header[i] = (uint8_t)(class + 1);
	return 0;
}

int session_add_header(struct session *s, char kind, const char *name, const char *signature,
		       struct error *err)
{
	enum name_class class = kind == 't' ? NAME_TYPE : NAME_VALUE;
	struct header_name *grown = s->headers;

	if (s->n_headers == s->cap_headers) {
		uint32_t cap = s->cap_headers ? 2 * s->cap_headers : 4096;

		grown = realloc(s->headers, cap * sizeof(*grown));
		if (!grown)
			return error_set(err, ERROR_MEMORY,
					 "out of memory for the names of headers");
		s->headers = grown;
		s->cap_headers = cap;
	}
	if (kind == 'm') {
		size_t word = strcspn(signature, " ");

		class = !*signature			      ? NAME_MACRO_EMPTY
			: split_is_specifier(signature, word) ? NAME_MACRO_SPECIFIER
							      : NAME_MACRO;
	}
	if (kind != 's' && session_add_header_name(s, name, class, err))
		return -1;
	grown[s->n_headers].kind = kind;
	grown[s->n_headers].name = mem_pool_strdup(&s->names.pool, name);
	grown[s->n_headers].signature = mem_pool_strdup(&s->names.pool, signature);
	if (!grown[s->n_headers].name || !grown[s->n_headers].signature)
		return error_set(err, ERROR_MEMORY, "out of memory for the names of headers");
	s->n_headers++;
	return 0;
}

static int by_name(const void *a, const void *b)
{
	const struct header_name *x = a, *y = b;

	return strcmp(x->name, y->name);
}

void session_sort_headers(struct session *s)
{
	if (s->n_headers)
		qsort(s->headers, s->n_headers, sizeof(*s->headers), by_name);
}

char session_header_kind(const struct session *s, const char *name, size_t len)
{
	uint32_t low = 0, high = s->n_headers;

	while (low < high) {
		uint32_t middle = (low + high) / 2;
		const char *have = s->headers[middle].name;
		int order = strncmp(have, name, len);

		if (!order && !have[len] && s->headers[middle].kind != 's')
			return s->headers[middle].kind;
		if (order < 0 || (!order && !have[len]))
			low = middle + 1;
		else
			high = middle;
	}
	return 0;
}

const struct header_name *session_headers_with(const struct session *s, const char *prefix,
					       uint32_t *ret_n)
{
	size_t len = strlen(prefix);
	uint32_t low = 0, high = s->n_headers, n = 0;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (strcmp(s->headers[middle].name, prefix) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	while (low + n < s->n_headers && !strncmp(s->headers[low + n].name, prefix, len))
		n++;
	*ret_n = n;
	return s->headers + low;
}

static enum name_class classify(void *context, const char *text, size_t len);

/* Behind the name in `#define name`; NULL for an #undef. */
static const char *behind_macro_name(const struct declaration *d)
{
	const char *define = strstr(d->host, "define"), *name = define ? strstr(define + strlen("define"), d->name) : NULL;

	return name ? name + strlen(d->name) : NULL;
}

/* What a session macro stands for is seen from the first word of its body. */
static enum name_class classify_macro(struct session *s, const struct declaration *d)
{
	const char *p = behind_macro_name(d);
	size_t word = 0;

	if (!p)
		return NAME_UNKNOWN;
	if (*p == '(') {
		p = strchr(p, ')');
		p = p ? p + 1 : "";
	}
	p += strspn(p, " \t\\\n");
	if (!*p)
		return NAME_MACRO_EMPTY;
	while (p[word] == '_' || (p[word] >= '0' && p[word] <= '9') ||
	       ((p[word] | 32) >= 'a' && (p[word] | 32) <= 'z'))
		word++;
	if (!word || (word == strlen(d->name) && !strncmp(p, d->name, word)))
		return NAME_MACRO;
	return split_is_specifier(p, word) || classify(s, p, word) == NAME_TYPE
		       ? NAME_MACRO_SPECIFIER
		       : NAME_MACRO;
}

static enum name_class classify(void *context, const char *text, size_t len)
{
	struct session *s = context;
	uint32_t name = names_find(&s->names, text, len);

	if (name == NAME_NONE)
		return NAME_UNKNOWN;
	for (uint32_t link = s->newest[name]; link; link = s->links[link - 1].previous) {
		const struct declaration *d = &s->entries[s->links[link - 1].entry].d;
		bool itself = strlen(d->name) == len && !memcmp(d->name, text, len);

		if (d->kind == DECLARATION_MACRO)
			return classify_macro(s, d);
		if (d->kind == DECLARATION_TYPEDEF && itself)
			return NAME_TYPE;
		if (strcmp(declaration_space(d->kind), "tag") || !itself)
			return NAME_VALUE;
	}
	return s->header[name] ? (enum name_class)(s->header[name] - 1) : NAME_UNKNOWN;
}

/* The text of a directive is no word of C, so it can be kept among the names. */
void session_include_is_read(struct session *s, const char *text, size_t len)
{
	uint32_t i = intern(s, text, len);

	if (i != NAME_NONE)
		s->header[i] = NAME_MACRO + 1;
}

static bool is_read(const struct session *s, const char *text)
{
	uint32_t i = names_find(&s->names, text, strlen(text));

	return i != NAME_NONE && s->header[i];
}

bool session_unread_includes(struct session *s, struct buffer *out)
{
	uint32_t last = 0;

	for (uint32_t i = 0; i < s->n; i++)
		if (s->entries[i].d.kind == DECLARATION_INCLUDE && *s->entries[i].d.host &&
		    !is_read(s, s->entries[i].d.host))
			last = i + 1;
	for (uint32_t i = 0; i < last; i++) {
		const struct declaration *d = &s->entries[i].d;

		if (d->kind == DECLARATION_INCLUDE || d->kind == DECLARATION_MACRO)
			buffer_printf(out, "%s\n", d->host);
		if (d->kind == DECLARATION_INCLUDE)
			session_include_is_read(s, d->host, strlen(d->host));
	}
	return last != 0;
}

static const char *macro(void *context, const char *text, size_t len)
{
	struct session *s = context;
	const struct declaration *d = session_find(s, text, len);

	return d && d->kind == DECLARATION_MACRO ? behind_macro_name(d) : NULL;
}

struct name_source session_names(struct session *s)
{
	return (struct name_source){ classify, macro, s };
}

enum mark { UNMARKED, NEEDED, WRITTEN, MASKED };

struct composition {
	struct session *s;
	uint8_t *marks; /* enum mark, by entry */
	uint32_t *queue;
	uint32_t n_queue;
	bool device;
	bool cpp;               /* the host texts as a C++ unit takes them */
	const uint8_t *dropped; /* by entry; NULL: none */
	const char *cell_name;  /* of the tokens; NULL: it does not matter */
	const struct token_list *tokens;
	struct buffer *out;
};

static const char *text_of(const struct composition *c, const struct declaration *d)
{
	return !c->device ? d->host : d->kind == DECLARATION_ENTRY ? "" : d->device; /* see device-follow.h */
}

/* Does the entry declare this name as a tag? Its own one, or one nested in it; an enum's constants
 * are not. */
static bool is_tag(const struct session_entry *e, uint32_t name)
{
	return e->d.kind == DECLARATION_TAG && e->declares[0] == name;
}

/*
 * The macro of this name as it stood before the entry; n if there was none. It is the one that the entry means: a type must
 * not change its size when the macro is defined anew.
 */
static uint32_t macro_before(const struct session *s, uint32_t name, uint32_t entry)
{
	for (uint32_t link = s->newest[name]; link; link = s->links[link - 1].previous) {
		uint32_t other = s->links[link - 1].entry;

		if (other < entry && s->entries[other].d.kind == DECLARATION_MACRO)
			return other;
	}
	return s->n;
}

/* A #define mentions the name that it defines. */
static bool is_own_name(const struct session_entry *e, uint32_t name)
{
	return e->n_declares && e->declares[0] == name;
}

static void mark(struct composition *c, uint32_t entry)
{
	if (c->marks[entry] != UNMARKED || c->s->entries[entry].d.kind == DECLARATION_STATE)
		return;
	c->marks[entry] = NEEDED;
	c->queue[c->n_queue++] = entry;
}

/* direct: the cell itself says the name, so that what it replaces is not meant. */
static void need(struct composition *c, uint32_t name, bool direct)
{
	bool seen[2] = { false };

	/* The last one of each space: an older enum may have had the same constant. */
	for (uint32_t link = c->s->newest[name]; link; link = c->s->links[link - 1].previous) {
		uint32_t entry = c->s->links[link - 1].entry;
		bool tag = is_tag(&c->s->entries[entry], name);

		if (seen[tag])
			continue;
		seen[tag] = true;
		if (!direct || !c->s->entries[entry].hidden)
			mark(c, entry);
	}
}

/* An enum stands in both spaces: by its tag, and by its constants as ordinary names. */
static bool masks_entry(const struct session_entry *e, const struct session_mask *mask)
{
	bool itself = strlen(e->d.name) == mask->len && !memcmp(e->d.name, mask->name, mask->len);

	return !strcmp(itself ? declaration_space(e->d.kind) : "ordinary", mask->space);
}

static void mark_masked(struct composition *c, const struct session_mask *masks, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t name = names_find(&c->s->names, masks[i].name, masks[i].len);

		if (name == NAME_NONE)
			continue;
		for (uint32_t link = c->s->newest[name]; link;
		     link = c->s->links[link - 1].previous) {
			uint32_t e = c->s->links[link - 1].entry;

			if (masks_entry(&c->s->entries[e], &masks[i]) && c->s->entries[e].d.kind != DECLARATION_MACRO)
				c->marks[e] = MASKED;
		}
	}
}

/* A type of the session may need the macro that the cell defines anew: it is there, and taken away in front of the cell. */
static void undefine_masked(struct composition *c, const struct session_mask *masks, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct declaration *d = session_find(c->s, masks[i].name, masks[i].len);

		if (!strcmp(masks[i].space, "macro") && d && d->kind == DECLARATION_MACRO)
			buffer_printf(c->out, "\n#undef %.*s\n", (int)masks[i].len, masks[i].name);
	}
}

/*
 * cooperative_groups.h costs NVRTC half a second: it and what belongs to it are for code that
 * speaks of it. Others are always needed.
 */
static bool is_wanted(const struct composition *c, const struct session_entry *e,
		      const struct token_list *tokens)
{
	static const char *const words[] = {
		"cg",		"cooperative_groups", "this_thread_block", "this_grid",
		"thread_block", "coalesced_threads",  "tiled_partition",   "thread_block_tile",
		"this_cluster"
	};

	if (!c->device || !strstr(e->d.device, "cooperative_groups"))
		return true;
	for (uint32_t i = 0; i < tokens->n; i++) {
		for (size_t k = 0; k < sizeof(words) / sizeof(*words); k++)
			if (token_is(tokens, i, words[k]))
				return true;
		/* namespace g = cooperative_groups; */
		for (uint32_t u = 0; u < e->n_uses && tokens->at[i].kind == TOKEN_NAME; u++)
			if (token_is(tokens, i, c->s->names.texts[e->uses[u].name]))
				return true;
	}
	return false;
}

/* Which names a macro makes only clang knows, so it gets all of them. */
static void mark_all(struct composition *c)
{
	for (uint32_t e = 0; e < c->s->n; e++)
		if (!c->s->entries[e].hidden)
			mark(c, e);
}

static void mark_needed(struct composition *c, const struct token_list *tokens)
{
	struct session *s = c->s;
	bool before_include = false;

	for (uint32_t e = s->headers_precompiled && !c->device ? 0 : s->n; e-- > 0;) {
		enum declaration_kind kind = s->entries[e].d.kind;

		before_include |= kind == DECLARATION_INCLUDE;
		if (c->marks[e] == UNMARKED && !s->entries[e].hidden &&
		    (kind == DECLARATION_INCLUDE || kind == DECLARATION_PRAGMA ||
		     (kind == DECLARATION_MACRO && before_include)) &&
		    is_wanted(c, &s->entries[e], tokens)) {
			c->marks[e] = NEEDED;
			c->queue[c->n_queue++] = e;
		}
	}
	for (uint32_t i = 0; i < tokens->n; i++) {
		const struct token *t = &tokens->at[i];

		if (t->kind == TOKEN_NAME || t->bracket) {
			uint32_t name =
				names_find(&s->names, token_text(tokens, i), token_len(tokens, i));

			if (name != NAME_NONE)
				need(c, name, true);
		} else if (t->kind == TOKEN_DIRECTIVE) {
			struct mem_pool pool = MEM_POOL_INIT;
			struct token_list inner;

			if (!token_list_init(&inner, token_text(tokens, i) + 1,
					     token_len(tokens, i) - 1, &pool, NULL))
				for (uint32_t k = 0; k < inner.n; k++) {
					uint32_t name = names_find(&s->names, token_text(&inner, k),
								   token_len(&inner, k));

					if (name != NAME_NONE && inner.at[k].kind == TOKEN_NAME)
						need(c, name, true);
				}
			mem_pool_release(&pool);
		}
	}
	for (uint32_t i = 0; i < tokens->n; i++)
		if (tokens->at[i].kind == TOKEN_DIRECTIVE && macro_text_pastes(token_text(tokens, i), token_len(tokens, i)))
			mark_all(c);
	for (uint32_t i = 0; i < c->n_queue; i++) {
		const struct session_entry *e = &s->entries[c->queue[i]];

		if (e->d.kind == DECLARATION_MACRO && macro_text_pastes(e->d.host, strlen(e->d.host)))
			mark_all(c);

		for (uint32_t k = 0; k < e->n_uses; k++) {
			uint32_t macro = macro_before(c->s, e->uses[k].name, c->queue[i]);

			if (macro < c->s->n)
				mark(c, macro);
			else
				need(c, e->uses[k].name, false);
		}
	}
}

/* Its place in diagnostics names the entry. */
static void write_cpp(struct buffer *out, uint32_t index, const struct declaration *d)
{
	bool directive = d->kind == DECLARATION_INCLUDE || d->kind == DECLARATION_PRAGMA || d->kind == DECLARATION_MACRO ||
			 d->kind == DECLARATION_CPP;

	buffer_printf(out, "%s\n#line %u \"" SESSION_ENTRY_PLACE "%u\"\n%s\n%s", directive ? "" : "\nextern \"C\" {",
		      d->line ? d->line : 1, index, d->host, directive ? "" : "}");
}

char *session_included_path(const struct declaration *d)
{
	static const char start[] = "#include \"/";
	size_t len = strlen(d->host), skip = strlen(start) - 1;

	if (d->kind != DECLARATION_INCLUDE || strncmp(d->host, start, strlen(start)))
		return NULL;
	return strndup(d->host + skip, len - skip - 1);
}

bool session_includes(const struct session *s, const char *path)
{
	for (uint32_t i = 0; i < s->n; i++) {
		cleanup_free char *have = session_included_path(&s->entries[i].d);

		if (have && !strcmp(have, path))
			return true;
	}
	return false;
}

/* The line of the cell at work that has this include, too; 0 if none. */
static uint32_t line_of_include(const struct composition *c, const struct declaration *d)
{
	cleanup_free char *path = c->cell_name ? session_included_path(d) : NULL;
	uint32_t i = path ? local_include_find(c->tokens, path) : TOKEN_NONE;

	return i == TOKEN_NONE ? 0 : c->tokens->at[i].line;
}

/* Can the use be of what this entry declares? A tag and an ordinary name may be the same word. */
static bool means(const struct session *s, const struct use *use, uint32_t entry)
{
	const struct session_entry *e = &s->entries[entry];

	return use->is_tag ? e->d.kind == DECLARATION_TAG : !is_tag(e, use->name);
}

static void write_entry(struct composition *c, uint32_t index, unsigned depth)
{
	const struct session_entry *e = &c->s->entries[index];

	if (c->marks[index] != NEEDED)
		return;
	c->marks[index] = WRITTEN;
	for (uint32_t k = 0; k < e->n_uses && depth < 200; k++) {
		for (uint32_t link = c->s->newest[e->uses[k].name]; link;
		     link = c->s->links[link - 1].previous) {
			uint32_t other = c->s->links[link - 1].entry;

			if (means(c->s, &e->uses[k], other) && !e->uses[k].by_pointer && !is_own_name(e, e->uses[k].name) &&
			    macro_before(c->s, e->uses[k].name, index) == c->s->n)
				write_entry(c, other, depth + 1);
		}
	}
	const char *text = text_of(c, &e->d);

	if (*text && c->cpp)
		write_cpp(c->out, index, &e->d);
	else if (*text && line_of_include(c, &e->d))
		buffer_printf(c->out, "\n#line %u \"%s\"\n%s", line_of_include(c, &e->d), c->cell_name, text);
	else if (*text)
		buffer_printf(c->out, "\n#line %u \"In[%u]\"\n%s", e->d.line ? e->d.line : 1,
			      e->d.cell, text);
}

/* A header's macro or function must not stand where the entry declares the name; tags are a space of their own. */
static void own_names_of(const struct session *s, const struct session_entry *e, struct buffer *out)
{
	bool tag = !strcmp(declaration_space(e->d.kind), "tag");

	for (uint32_t k = tag; k < e->n_declares; k++) {
		const char *name = s->names.texts[e->declares[k]];

		own_names_write(s, name, strlen(name), out);
	}
}

/* By execution count: has this cell C++ declarations? NULL: there is no memory. */
static uint8_t *find_cpp_cells(const struct session *s)
{
	uint32_t last = 0;
	uint8_t *cells;

	for (uint32_t i = 0; i < s->n; i++)
		last = s->entries[i].d.cell > last ? s->entries[i].d.cell : last;
	cells = calloc((size_t)last + 1, 1);
	for (uint32_t i = 0; cells && i < s->n; i++)
		cells[s->entries[i].d.cell] |= s->entries[i].d.kind == DECLARATION_CPP;
	return cells;
}

/*
 * C units see nothing of C++. For C++ ones a C++ cell has said itself what it has told C cells; which of what such cells have
 * said a cell needs only clang knows.
 */
static int choose_language(struct composition *c)
{
	cleanup_free uint8_t *cells = c->cpp ? find_cpp_cells(c->s) : NULL;

	for (uint32_t i = 0; i < c->s->n && (cells || !c->cpp); i++) {
		const struct declaration *d = &c->s->entries[i].d;

		if (d->kind == DECLARATION_CPP ? !c->cpp : cells && cells[d->cell])
			c->marks[i] = MASKED;
		else if (d->kind == DECLARATION_CPP && !c->s->entries[i].hidden)
			mark(c, i);
	}
	return c->cpp && !cells ? -1 : 0;
}

static int compose(struct composition *c, const struct token_list *tokens, const struct session_mask *masks,
		   size_t n_masks, struct error *err)
{
	struct session *s = c->s;

	c->marks = calloc(s->n + 1, 1);
	c->queue = malloc((s->n + 1) * sizeof(*c->queue));
	for (uint32_t i = 0; c->marks && c->dropped && i < s->n; i++)
		c->marks[i] = c->dropped[i] ? MASKED : UNMARKED;
	bool failed = !c->marks || !c->queue || choose_language(c);

	if (!failed) {
		mark_masked(c, masks, n_masks);
		mark_needed(c, tokens);
		for (uint32_t i = 0; i < s->n && !c->device; i++)
			if (c->marks[i] == NEEDED)
				own_names_of(s, &s->entries[i], c->out);
		for (uint32_t i = 0; i < s->n; i++)
			write_entry(c, i, 0);
		undefine_masked(c, masks, n_masks);
	}
	free(c->marks);
	free(c->queue);
	return failed ? error_set(err, ERROR_MEMORY, "out of memory for the session's declarations") : 0;
}

int session_compose(struct session *s, const struct token_list *tokens,
		    const struct session_mask *masks, size_t n_masks, bool device,
		    const char *cell_name, struct buffer *out, struct error *err)
{
	struct composition c = { .s = s, .device = device, .cell_name = cell_name, .tokens = tokens, .out = out };

	return compose(&c, tokens, masks, n_masks, err);
}

int session_compose_cpp(struct session *s, const struct token_list *tokens, const uint8_t *dropped, struct buffer *out,
			struct error *err)
{
	return compose(&(struct composition){ .s = s, .cpp = true, .dropped = dropped, .out = out }, tokens, NULL, 0, err);
}

void session_each(const struct session *s,
		  void (*found)(void *context, const struct declaration *d), void *context)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (s->entries[i].d.kind != DECLARATION_DROPPED && s->entries[i].d.kind != DECLARATION_CPP)
			found(context, &s->entries[i].d);
}

const struct declaration *session_find(const struct session *s, const char *name, size_t len)
{
	return session_at(s, session_index(s, name, len));
}

uint32_t session_index(const struct session *s, const char *name, size_t len)
{
	uint32_t i = names_find(&s->names, name, len);

	return i == NAME_NONE || !s->newest[i] ? TOKEN_NONE : s->links[s->newest[i] - 1].entry;
}

const struct declaration *session_at(const struct session *s, uint32_t entry)
{
	return entry < s->n ? &s->entries[entry].d : NULL;
}

uint32_t session_count(const struct session *s)
{
	return s->n;
}
