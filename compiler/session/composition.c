/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Needed entries are marked from the cell's own words outwards, then written in session order; a
 * replaced entry may be later than its old users, so a user first writes the entries that it
 * mentions.
 */
#include "compiler/session/composition.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "compiler/clang/job/clang-shim.h"
#include "compiler/session/cpp-pieces.h"
#include "compiler/session/session-entry.h"
#include "compiler/text/local-include.h"
#include "compiler/text/macro-text.h"
#include "compiler/text/own-names.h"

enum mark { UNMARKED, NEEDED, WRITTEN, MASKED };

struct composition {
	struct compiler_session *s;
	uint8_t *marks; /* enum mark, by entry */
	uint32_t *queue;
	uint32_t n_queue;
	bool cpp;               /* host texts are written as for a C++ unit */
	const uint8_t *dropped; /* by entry; NULL: none */
	const char *cell_name;  /* for the tokens; NULL: it does not matter */
	const struct token_list *tokens;
	const struct session_mask *masks;
	size_t n_masks;
	/* For C++ units: newest[name] is the last entry that declares a name, older[entry] the
	 * previous one; both as entry + 1, 0: none. */
	uint32_t *newest, *older;
	struct buffer *out;
};

/* Tells whether the entry declares this name as a tag: its own one, or one nested in it, but not an
 * enum's constant. */
static bool is_tag(const struct session_entry *e, uint32_t name)
{
	return e->d.kind == DECLARATION_TAG && e->declares[0] == name;
}

/*
 * Returns the macro of this name as it was before the entry; n if there was none. The entry means
 * that one: a type must not change its size when the macro is redefined.
 */
static uint32_t macro_before(const struct compiler_session *s, uint32_t name, uint32_t entry)
{
	for (uint32_t link = session_newest(s, name); link; link = s->links[link - 1].previous) {
		uint32_t other = s->links[link - 1].entry;

		if (other < entry && s->entries[other].d.kind == DECLARATION_MACRO)
			return other;
	}
	return s->n;
}

/* Tells whether the name is the one that a #define defines, which its text mentions, too. */
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

/* Marks what a name needs. direct: the cell itself mentions the name, so an entry that it replaces
 * is not meant. */
static void need(struct composition *c, uint32_t name, bool direct)
{
	enum { TAG, MACRO, ORDINARY };
	bool seen[3] = { false };

	/*
	 * Only the last one of each name space is needed: an older enum may have had the same
	 * constant. A macro does not hide the variable or function of the same name: that is meant
	 * without arguments, and in the macro's own text.
	 */
	for (uint32_t link = session_newest(c->s, name); link;
	     link = c->s->links[link - 1].previous) {
		uint32_t entry = c->s->links[link - 1].entry;
		const struct session_entry *e = &c->s->entries[entry];
		int space = is_tag(e, name)                  ? TAG
			    : e->d.kind == DECLARATION_MACRO ? MACRO
							     : ORDINARY;

		if (seen[space] || (space == MACRO && seen[ORDINARY]))
			continue;
		seen[space] = true;
		if (!direct || !c->s->entries[entry].hidden)
			mark(c, entry);
	}
}

static bool is_enum(const struct session_entry *e)
{
	return !strncmp(e->d.host, "enum", strlen("enum")) ||
	       !strncmp(e->d.host, "typedef enum", strlen("typedef enum"));
}

/* Tells whether a mask hides the entry. An ordinary name may also mask a constant of an enum:
 * rename_replaced(). */
static bool masks_entry(const struct session_entry *e, const struct session_mask *mask)
{
	bool itself = strlen(e->d.name) == mask->len && !memcmp(e->d.name, mask->name, mask->len);

	return (itself || !is_enum(e)) &&
	       !strcmp(itself ? declaration_space(e->d.kind) : "ordinary", mask->space);
}

static void mark_masked(struct composition *c, const struct session_mask *masks, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t name = names_find(&c->s->names, masks[i].name, masks[i].len);

		if (name == NAME_NONE)
			continue;
		for (uint32_t link = session_newest(c->s, name); link;
		     link = c->s->links[link - 1].previous) {
			uint32_t e = c->s->links[link - 1].entry;

			if (masks_entry(&c->s->entries[e], &masks[i]) &&
			    c->s->entries[e].d.kind != DECLARATION_MACRO)
				c->marks[e] = MASKED;
		}
	}
}

/* Undefines, in front of the cell, macros that the cell redefines but that a type of the session
 * needs. */
static void undefine_masked(struct composition *c, const struct session_mask *masks, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct declaration *d = session_find(c->s, masks[i].name, masks[i].len);

		if (!strcmp(masks[i].space, "macro") && d && d->kind == DECLARATION_MACRO)
			buffer_printf(c->out, "\n#undef %.*s\n", (int)masks[i].len, masks[i].name);
	}
}

/* Marks all entries, since only clang knows which names a macro produces. */
static void mark_all(struct composition *c)
{
	for (uint32_t e = 0; e < c->s->n; e++)
		if (!c->s->entries[e].hidden)
			mark(c, e);
}

static void mark_needed(struct composition *c, const struct token_list *tokens)
{
	struct compiler_session *s = c->s;
	bool before_include = false;

	for (uint32_t e = s->headers_precompiled ? 0 : s->n; e-- > 0;) {
		enum declaration_kind kind = s->entries[e].d.kind;

		before_include |= kind == DECLARATION_INCLUDE;
		if (c->marks[e] == UNMARKED && !s->entries[e].hidden &&
		    (kind == DECLARATION_INCLUDE ||
		     (kind == DECLARATION_MACRO && before_include))) {
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
		if (tokens->at[i].kind == TOKEN_DIRECTIVE &&
		    macro_text_pastes(token_text(tokens, i), token_len(tokens, i)))
			mark_all(c);
	for (uint32_t i = 0; i < c->n_queue; i++) {
		const struct session_entry *e = &s->entries[c->queue[i]];

		if (e->d.kind == DECLARATION_MACRO &&
		    macro_text_pastes(e->d.host, strlen(e->d.host)))
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

/* The parts of a C declaration in its C++ form. */
struct cpp_words {
	const char *before, *text, *after;
	size_t len; /* of text */
};

static struct cpp_words say(const char *before, const char *text, const char *after)
{
	return (struct cpp_words){ before, text, after, strlen(text) };
}

/* Returns the C++ form of a declaration. For a constant that includes its value. Declarations that
 * C++ cells have made for C ones are not repeated in C++. */
static struct cpp_words cpp_words_of(const struct declaration *d)
{
	switch (d->kind) {
	case DECLARATION_INCLUDE:
	case DECLARATION_MACRO:
	case DECLARATION_CPP:
		return say("", d->host, "");
	case DECLARATION_VARIABLE:
		if (*d->device)
			return say("", d->device, "");
		break;
	default:
		break;
	}
	return say("extern \"C\" {", d->host, "}");
}

/* Tells whether a variable needs a name of its own in C++. A macro in front of the unit, as for C,
 * would also rename members and names of std::. */
static bool is_own_in_cpp(const struct composition *c, const struct declaration *d)
{
	char kind = c->cpp && d->kind == DECLARATION_VARIABLE
			    ? header_names_kind(&c->s->headers, d->name, strlen(d->name))
			    : 0;

	return kind && kind != 's' && kind != 'm';
}

/* Returns the offset of the value in `const int n = 5;`; 0: C++ has no such constant. */
static size_t known_constant(const struct declaration *d)
{
	const char *value = d->kind == DECLARATION_VARIABLE ? strstr(d->device, " = ") : NULL;

	return value ? (size_t)(value - d->device) + strlen(" = ") : 0;
}

/* Writes an entry for C++, with a place that names it in diagnostics. */
static void write_cpp(const struct composition *c, uint32_t index, const struct declaration *d)
{
	struct cpp_words w = cpp_words_of(d);
	struct buffer *out = c->out;

	if (!w.len)
		return;
	if (is_own_in_cpp(c, d))
		buffer_printf(out, "\n#pragma " CLANG_OWN " %s", d->name);
	buffer_printf(out, "\n%s\n#line %u \"" COMPOSITION_PLACE "%u/In[%u]\"\n%.*s\n%s", w.before,
		      d->line ? d->line : 1, index, d->cell, (int)w.len, w.text, w.after);
}

/* Returns the line of the current cell that has the same include; 0 if none. */
static uint32_t line_of_include(const struct composition *c, const struct declaration *d)
{
	cleanup_free char *path = c->cell_name ? session_included_path(d) : NULL;
	uint32_t i = path ? local_include_find(c->tokens, path) : TOKEN_NONE;

	return i == TOKEN_NONE ? 0 : c->tokens->at[i].line;
}

/*
 * Tells whether the use can mean what this entry declares: a tag and an ordinary name may be the
 * same word. Of macros only those in front of the user can be meant: see macro_before().
 */
static bool means(const struct compiler_session *s, const struct session_use *use, uint32_t entry)
{
	const struct session_entry *e = &s->entries[entry];

	if (e->d.kind == DECLARATION_MACRO)
		return false;
	return use->is_tag ? e->d.kind == DECLARATION_TAG : !is_tag(e, use->name);
}

/* Tells whether only the declaration is written. Entries of the cell that is run again are hidden,
 * but others may call its new functions. */
static bool is_only_declared(const struct composition *c, uint32_t index)
{
	const struct session_entry *e = &c->s->entries[index];

	return c->cpp && cpp_pieces_can_declare(&e->d) &&
	       (e->hidden || (c->dropped && c->dropped[index] == CPP_DECLARED));
}

static void write_entry(struct composition *c, uint32_t index, unsigned depth);

/*
 * Writes the entries of a name that the entry uses, the oldest first. link is the last one's; see
 * struct composition. A function template sees the declarations in front of it, including functions
 * that were redefined later.
 */
static void write_named(struct composition *c, uint32_t user, uint32_t link, unsigned depth)
{
	bool is_later = link > user + 1;
	const struct session_entry *entries = c->s->entries;

	if (!link || depth >= 200)
		return;
	write_named(c, user, c->older[link - 1], depth + 1);
	if (!is_later || (cpp_pieces_is_function(&entries[user].d) &&
			  cpp_pieces_is_function(&entries[link - 1].d)))
		write_entry(c, link - 1, depth + 1);
}

/* Writes what a C++ entry uses. Under its own name there are specialisations of a template, which
 * come later. */
static void write_used_by_cpp(struct composition *c, uint32_t index, unsigned depth)
{
	const struct session_entry *e = &c->s->entries[index];

	for (uint32_t k = 0; k < e->n_uses; k++)
		if (strcmp(c->s->names.texts[e->uses[k].name], e->d.device))
			write_named(c, index, c->newest[e->uses[k].name], depth);
}

/* Tells whether a constant, as in `enum { x, y };`, is replaced by a variable of the session or the
 * cell: the type and its other constants stay valid. */
static bool is_replaced(const struct composition *c, uint32_t name, uint32_t entry)
{
	const struct compiler_session *s = c->s;
	const char *text = s->names.texts[name];

	for (size_t i = 0; i < c->n_masks; i++)
		if (strlen(text) == c->masks[i].len &&
		    !memcmp(text, c->masks[i].name, c->masks[i].len) &&
		    !strcmp(c->masks[i].space, "ordinary"))
			return true;
	for (uint32_t link = session_newest(s, name); link; link = s->links[link - 1].previous) {
		const struct session_entry *e = &s->entries[s->links[link - 1].entry];

		if (s->links[link - 1].entry == entry)
			return false;
		if (!strcmp(declaration_space(e->d.kind), "ordinary") && is_own_name(e, name) &&
		    !e->hidden)
			return true;
	}
	return false;
}

/* Renames such constants by a macro; a macro of the session with this name is kept. */
static void rename_replaced(const struct composition *c, uint32_t index, bool begin)
{
	const struct session_entry *e = &c->s->entries[index];

	for (uint32_t k = 0; is_enum(e) && k < e->n_declares; k++) {
		const char *name = c->s->names.texts[e->declares[k]];

		if (strcmp(name, e->d.name) && is_replaced(c, e->declares[k], index))
			buffer_printf(c->out,
				      begin ? "\n#pragma push_macro(\"%s\")\n#undef %s\n#define %s "
					      "cgpu_replaced_%s\n"
					    : "\n#pragma pop_macro(\"%s\")\n",
				      name, name, name, name);
	}
}

static void write_entry(struct composition *c, uint32_t index, unsigned depth)
{
	const struct session_entry *e = &c->s->entries[index];

	if (c->marks[index] != NEEDED)
		return;
	c->marks[index] = WRITTEN;
	if (e->d.kind == DECLARATION_CPP)
		write_used_by_cpp(c, index, depth);
	for (uint32_t k = 0; k < e->n_uses && depth < 200; k++) {
		for (uint32_t link = session_newest(c->s, e->uses[k].name); link;
		     link = c->s->links[link - 1].previous) {
			uint32_t other = c->s->links[link - 1].entry;

			if (means(c->s, &e->uses[k], other) && !e->uses[k].by_pointer &&
			    !is_own_name(e, e->uses[k].name) &&
			    macro_before(c->s, e->uses[k].name, index) == c->s->n)
				write_entry(c, other, depth + 1);
		}
	}
	const char *text = e->d.host;
	size_t from = c->out->len, known = c->cpp ? 0 : known_constant(&e->d);

	if (is_only_declared(c, index))
		buffer_puts(c->out, "\n#define " CLANG_DECLARED "\n");
	rename_replaced(c, index, true);
	if (c->cpp)
		write_cpp(c, index, &e->d);
	else if (*text && line_of_include(c, &e->d))
		buffer_printf(c->out, "\n#line %u \"%s\"\n%s", line_of_include(c, &e->d),
			      c->cell_name, text);
	else if (known)
		buffer_printf(c->out,
			      "\n#line %u \"In[%u]\"\n%.*s __attribute__((annotate(\"" CLANG_VALUE
			      "\", %.*s)));",
			      e->d.line ? e->d.line : 1, e->d.cell, (int)strlen(text) - 1, text,
			      (int)strlen(e->d.device + known) - 1, e->d.device + known);
	else if (*text)
		buffer_printf(c->out, "\n#line %u \"In[%u]\"\n%s", e->d.line ? e->d.line : 1,
			      e->d.cell, text);
	rename_replaced(c, index, false);
	if (is_only_declared(c, index))
		buffer_puts(c->out, "\n#undef " CLANG_DECLARED "\n");
	if (c->cell_name) {
		c->s->entries[index].from = from;
		c->s->entries[index].to = c->out->len;
	}
}

/* Removes a header's macro or function of the name that the entry declares; tags are a name space
 * of their own. */
static void own_names_of(const struct compiler_session *s, const struct session_entry *e,
			 struct buffer *out)
{
	bool tag = !strcmp(declaration_space(e->d.kind), "tag");

	for (uint32_t k = tag; k < e->n_declares; k++) {
		const char *name = s->names.texts[e->declares[k]];

		own_names_write(&s->headers, name, strlen(name), out);
	}
}

/* Finds, by execution count, the cells with C++ declarations. NULL: there is no memory. */
static uint8_t *find_cpp_cells(const struct compiler_session *s)
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

static bool is_said_anew(const struct composition *c, const struct declaration *d)
{
	return c->tokens && cpp_pieces_can_declare(d) && token_list_has(c->tokens, d->device);
}

/*
 * Chooses entries by language. C units see no C++ entries. For C++ units, entries that a C++ cell
 * has made for C cells are dropped, since it has the C++ ones; which C++ entries a cell needs only
 * clang knows.
 */
static int choose_language(struct composition *c)
{
	cleanup_free uint8_t *cells = c->cpp ? find_cpp_cells(c->s) : NULL;

	for (uint32_t i = 0; i < c->s->n && (cells || !c->cpp); i++) {
		const struct declaration *d = &c->s->entries[i].d;

		if (d->kind == DECLARATION_CPP ? !c->cpp : cells && cells[d->cell])
			c->marks[i] = MASKED;
		else if (d->kind == DECLARATION_CPP &&
			 (!c->s->entries[i].hidden || is_said_anew(c, d)))
			mark(c, i);
	}
	return c->cpp && !cells ? -1 : 0;
}

/* Finds the C++ entries by the plain names of their pieces, which are no names of C. */
static int find_names_of_cpp(struct composition *c)
{
	struct compiler_session *s = c->s;

	if (!c->cpp)
		return 0;
	c->newest = calloc(s->names.n + 1, sizeof(*c->newest));
	c->older = calloc(s->n + 1, sizeof(*c->older));
	for (uint32_t i = 0; c->newest && c->older && i < s->n; i++) {
		const struct declaration *d = &s->entries[i].d;
		uint32_t name = d->kind == DECLARATION_CPP
					? names_find(&s->names, d->device, strlen(d->device))
					: NAME_NONE;

		if (name == NAME_NONE)
			continue;
		c->older[i] = c->newest[name];
		c->newest[name] = i + 1;
	}
	return c->newest && c->older ? 0 : -1;
}

static int begin(struct composition *c)
{
	c->marks = calloc(c->s->n + 1, 1);
	c->queue = malloc((c->s->n + 1) * sizeof(*c->queue));
	return !c->marks || !c->queue || find_names_of_cpp(c) ? -1 : 0;
}

static int end(struct composition *c, bool failed, struct error *err)
{
	free(c->marks);
	free(c->queue);
	free(c->newest);
	free(c->older);
	return failed ? error_set(err, ERROR_MEMORY, "out of memory for the session's declarations")
		      : 0;
}

static void write_marked(struct composition *c)
{
	for (uint32_t i = 0; i < c->s->n; i++)
		if (c->marks[i] == NEEDED && !is_own_in_cpp(c, &c->s->entries[i].d))
			own_names_of(c->s, &c->s->entries[i], c->out);
	for (uint32_t i = 0; i < c->s->n; i++)
		write_entry(c, i, 0);
}

/* Masks the entries behind the cell: their dependencies are written in front, they themselves are
 * not. */
static void mask_those_behind(struct composition *c)
{
	for (uint32_t i = 0; c->dropped && i < c->s->n; i++)
		if (c->dropped[i] == CPP_BEHIND)
			c->marks[i] = MASKED;
}

static int compose(struct composition *c, const struct token_list *tokens,
		   const struct session_mask *masks, size_t n_masks, struct error *err)
{
	struct compiler_session *s = c->s;
	bool failed = begin(c);

	for (uint32_t i = 0; !failed && i < s->n; i++) {
		s->entries[i].from = s->entries[i].to = 0;
		c->marks[i] = s->entries[i].left_out || (c->dropped && c->dropped[i] > CPP_BEHIND)
				      ? MASKED
				      : UNMARKED;
	}
	failed = failed || choose_language(c);
	if (!failed) {
		c->masks = masks;
		c->n_masks = n_masks;
		mark_masked(c, masks, n_masks);
		mark_needed(c, tokens);
		mask_those_behind(c);
		write_marked(c);
		undefine_masked(c, masks, n_masks);
	}
	return end(c, failed, err);
}

int composition_write(struct compiler_session *s, const struct token_list *tokens,
		      const struct session_mask *masks, size_t n_masks, const char *cell_name,
		      struct buffer *out, struct error *err)
{
	struct composition c = { .s = s, .cell_name = cell_name, .tokens = tokens, .out = out };

	return compose(&c, tokens, masks, n_masks, err);
}

int composition_write_cpp(struct compiler_session *s, const struct token_list *tokens,
			  const uint8_t *dropped, struct buffer *out, struct error *err)
{
	struct composition c = {
		.s = s, .cpp = true, .dropped = dropped, .tokens = tokens, .out = out
	};

	return compose(&c, tokens, NULL, 0, err);
}

int composition_write_behind(struct compiler_session *s, const uint8_t *dropped,
			     const uint32_t *places, uint32_t place, struct buffer *out,
			     struct error *err)
{
	struct composition c = { .s = s, .cpp = true, .dropped = dropped, .out = out };
	bool failed = begin(&c);

	for (uint32_t i = 0; !failed && i < s->n; i++)
		c.marks[i] = dropped[i] == CPP_BEHIND && places[i] == place ? NEEDED : MASKED;
	if (!failed)
		write_marked(&c);
	return end(&c, failed, err);
}
