/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a text uses a name is decided by whole words: a false positive is harmless, a false
 * negative is not. */
#include "kernel/declarations/declarations.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"

#define NO_OWNER 0

/* An accept in progress. */
struct acceptance {
	struct declarations *d;
	const struct declaration_source *from;
	const struct unit *unit;
	uint32_t owner;
	struct buffer *notes;
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool mentions(const char *text, const char *word)
{
	size_t len = strlen(word);

	if (!len)
		return false;
	for (const char *at = text; (at = strstr(at, word)); at += len)
		if ((at == text || !is_word(at[-1])) && !is_word(at[len]))
			return true;
	return false;
}

static bool uses(const struct declaration *user, const char *name)
{
	/* The device code of an entry was compiled with the declarations of its time, so its uses
	 * do not count. */
	return user->kind != DECLARATION_DROPPED &&
	       (mentions(user->host, name) ||
		(user->kind != DECLARATION_ENTRY && mentions(user->device, name)));
}

static bool is_cpp_type(const struct declaration *d)
{
	return d->kind == DECLARATION_CPP && *d->device &&
	       (!strncmp(d->name, "type ", 5) || strstr(d->name, " template"));
}

static bool is_type(const struct declaration *d)
{
	return d->kind == DECLARATION_TAG || d->kind == DECLARATION_TYPEDEF;
}

/* Tells whether the kind has an address, and so a name for the loader. */
static bool is_object(enum declaration_kind kind)
{
	return kind == DECLARATION_VARIABLE || kind == DECLARATION_FUNCTION ||
	       kind == DECLARATION_ENTRY || kind == DECLARATION_DEVICE_VARIABLE;
}

static bool same_key(const struct declaration *a, const struct declaration *b)
{
	return !strcmp(declaration_space(a->kind), declaration_space(b->kind)) &&
	       !strcmp(a->name, b->name) &&
	       (*a->name || (!strcmp(a->host, b->host) && !strcmp(a->device, b->device)));
}

static bool same_text(const struct declaration *a, const struct declaration *b)
{
	return a->kind == b->kind && !strcmp(a->host, b->host) && !strcmp(a->device, b->device);
}

/* Skips white space and comments; *ret_any: there was some. */
static const char *skip_blank(const char *p, bool *ret_any)
{
	const char *start = p;

	for (;;) {
		p += strspn(p, " \t\r\n\f\v");
		if (p[0] == '/' && p[1] == '/') {
			p += strcspn(p, "\n");
		} else if (p[0] == '/' && p[1] == '*' && strstr(p + 2, "*/")) {
			p = strstr(p + 2, "*/") + 2;
		} else {
			*ret_any = p != start;
			return p;
		}
	}
}

/* Compares texts without comments and layout. */
static bool same_tokens(const char *a, const char *b)
{
	char last = ' ';

	for (;;) {
		bool any_a, any_b;

		a = skip_blank(a, &any_a);
		b = skip_blank(b, &any_b);
		if (any_a != any_b && is_word(last) && is_word(*a))
			return false;
		if (*a != *b)
			return false;
		if (!*a)
			return true;
		last = *a++;
		b++;
	}
}

/* Tells whether it is a forward declaration such as `struct s;`. */
static bool is_incomplete(const struct declaration *d)
{
	return d->kind == DECLARATION_TAG && !strchr(d->host, '{');
}

/* Tells whether objects of the type may have another layout. */
static bool changes_type(const struct declaration *before, const struct declaration *one)
{
	if (!is_type(before) || (before->kind == one->kind && same_tokens(before->host, one->host)))
		return false;
	return !(before->kind == DECLARATION_TAG && one->kind == DECLARATION_TAG &&
		 (is_incomplete(before) || is_incomplete(one)));
}

static const struct declaration *declared_by(const struct unit *u, const struct declaration *key)
{
	for (size_t i = 0; i < u->n_declarations; i++)
		if (same_key(&u->declarations[i], key))
			return &u->declarations[i];
	return NULL;
}

static bool defined_by(const struct unit *u, const char *name)
{
	for (size_t i = 0; i < u->n_symbols; i++)
		if (!strcmp(u->symbols[i].name, name))
			return true;
	return false;
}

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_MEMORY, "out of memory for declarations");
}

static bool used_after(const struct declarations *d, size_t i)
{
	const char *name = d->list.items[i]->d.name;

	for (size_t j = i + 1; j < d->list.n; j++)
		if (uses(&d->list.items[j]->d, name))
			return true;
	return false;
}

/* ---- who owns what ---- */

static bool owns(const struct declaration_entry *e, uint32_t owner)
{
	for (uint32_t i = 0; i < e->n_owners; i++)
		if (e->owners[i] == owner)
			return true;
	return false;
}

/* Notes that an owner has a slot; owner 0 is not noted. */
static int note_owned(struct declarations *d, uint32_t owner, size_t slot)
{
	struct declaration_slots *s;

	if (owner == NO_OWNER)
		return 0;
	if (owner >= d->n_owned) {
		size_t n = 2 * owner + 16;
		struct declaration_slots *grown = realloc(d->owned, n * sizeof(*grown));

		if (!grown)
			return -1;
		memset(grown + d->n_owned, 0, (n - d->n_owned) * sizeof(*grown));
		d->owned = grown;
		d->n_owned = n;
	}
	s = &d->owned[owner];
	if (s->n == s->cap) {
		size_t cap = s->cap ? 2 * s->cap : 8;
		uint32_t *grown = realloc(s->at, cap * sizeof(*grown));

		if (!grown)
			return -1;
		s->at = grown;
		s->cap = cap;
	}
	s->at[s->n++] = (uint32_t)slot;
	return 0;
}

/* Rebuilds the owners' slots after an undo, or after slots were renumbered. */
static int find_owned(struct declarations *d)
{
	if (!d->list.renumbered)
		return 0;
	for (size_t i = 0; i < d->n_owned; i++)
		d->owned[i].n = 0;
	for (size_t i = 0; i < d->list.n; i++)
		for (uint32_t k = 0; k < d->list.items[i]->n_owners; k++)
			if (note_owned(d, d->list.items[i]->owners[k], i))
				return -1;
	d->list.renumbered = false;
	return 0;
}

static uint32_t owner_of(const struct declarations *d, const char *id)
{
	uint32_t number = id && *id ? names_find(&d->ids, id, strlen(id)) : NAME_NONE;

	return number == NAME_NONE ? NO_OWNER : number + 1;
}

static int by_slot(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Sorts the slots of an owner and removes those that are no longer its own. */
static const struct declaration_slots *tidy_owned(struct declarations *d, uint32_t owner)
{
	static const struct declaration_slots none;
	struct declaration_slots *s =
		owner != NO_OWNER && owner < d->n_owned ? &d->owned[owner] : NULL;
	size_t n = 0;

	if (!s || !s->n)
		return &none;
	qsort(s->at, s->n, sizeof(*s->at), by_slot);
	for (size_t i = 0; i < s->n; i++)
		if (s->at[i] < d->list.n && owns(d->list.items[s->at[i]], owner) &&
		    (!n || s->at[n - 1] != s->at[i]))
			s->at[n++] = s->at[i];
	s->n = n;
	return s;
}

int declarations_of_cell(struct declarations *d, const char *id, uint32_t **ret, size_t *ret_n,
			 struct error *err)
{
	uint32_t owner = owner_of(d, id);
	const struct declaration_slots *mine;

	*ret = NULL;
	*ret_n = 0;
	if (find_owned(d))
		return no_memory(err);
	mine = tidy_owned(d, owner);
	if (!mine->n)
		return 0;
	*ret = malloc(mine->n * sizeof(**ret));
	if (!*ret)
		return no_memory(err);
	for (size_t i = 0; i < mine->n; i++) {
		const struct declaration_entry *e = d->list.items[mine->at[i]];

		if (e->n_owners == 1 && declaration_list_find(&d->list, &e->d) == mine->at[i])
			(*ret)[(*ret_n)++] = mine->at[i];
	}
	return 0;
}

/* ---- dropping ---- */

static bool is_among(const uint32_t *slots, size_t n, size_t slot)
{
	return n && bsearch(&(uint32_t){ (uint32_t)slot }, slots, n, sizeof(*slots), by_slot);
}

/* Tells whether a type is needed by a declaration that stays. */
static bool is_needed(const struct declarations *d, const uint32_t *leaving, size_t n, size_t slot)
{
	const struct declaration *one = &d->list.items[slot]->d;

	if (!is_type(one) && !is_cpp_type(one))
		return false;
	for (size_t j = slot + 1; j < d->list.n; j++)
		if (!is_among(leaving, n, j) &&
		    uses(&d->list.items[j]->d, is_type(one) ? one->name : one->device))
			return true;
	return false;
}

/* Finds the declarations that the cell's new text lacks, in ascending order. Users come after what
 * they use, so the last is judged first. */
static int find_leaving(struct declarations *d, const char *id, const struct unit *unit,
			uint32_t **ret, size_t *ret_n, struct error *err)
{
	size_t n_all, n = 0;
	uint32_t *slots;

	if (declarations_of_cell(d, id, &slots, &n_all, err))
		return -1;
	for (size_t i = 0; i < n_all; i++)
		if (!declared_by(unit, &d->list.items[slots[i]]->d))
			slots[n++] = slots[i];
	for (size_t i = n; i-- > 0;)
		if (is_needed(d, slots, n, slots[i]))
			memmove(slots + i, slots + i + 1, (--n - i) * sizeof(*slots));
	*ret = slots;
	*ret_n = n;
	return 0;
}

static void put_name(struct buffer *out, const char *name)
{
	buffer_append(out, name, strlen(name) + 1);
}

/*
 * Finds the next constant of an enum, which is an ordinary name: *at advances through its text,
 * from the start. False at the end; the name is *ret_len bytes long.
 */
static bool next_constant(const char **at, const char **ret, size_t *ret_len)
{
	const char *p =
		**at == 'e' ? strchr(*at, '{') : *at; /* `enum` itself, or behind a constant */
	unsigned depth = 0;
	bool any;

	for (; p && *(p = skip_blank(p, &any)); p++) {
		depth += *p == '(';
		depth -= *p == ')' && depth;
		if (depth || (*p != '{' && *p != ','))
			continue;
		*ret = skip_blank(p + 1, &any);
		for (*ret_len = 0; is_word((*ret)[*ret_len]); ++*ret_len)
			;
		*at = *ret + *ret_len;
		return *ret_len != 0;
	}
	return false;
}

/* Finds the slot of the variable or function whose name this constant takes; n when there is
 * none. */
static size_t taken_by_constant(const struct declarations *d, const struct unit *unit,
				const char *name, size_t len)
{
	char text[256];
	struct declaration key = {
		.kind = DECLARATION_VARIABLE, .name = text, .host = "", .device = ""
	};
	size_t at;

	if (len >= sizeof(text))
		return d->list.n;
	snprintf(text, sizeof(text), "%.*s", (int)len, name);
	at = declaration_list_find(&d->list, &key);
	return at < d->list.n && !declared_by(unit, &key) ? at : d->list.n;
}

static bool is_enum(const struct declaration *one)
{
	return one->kind == DECLARATION_TAG && !strncmp(one->host, "enum", 4);
}

static void put_taken(const struct declarations *d, const struct unit *unit,
		      const struct declaration *one, struct buffer *out)
{
	const char *p = one->host, *name;
	size_t len;

	while (is_enum(one) && next_constant(&p, &name, &len)) {
		size_t at = taken_by_constant(d, unit, name, len);

		if (at < d->list.n && is_object(d->list.items[at]->d.kind))
			put_name(out, d->list.items[at]->d.name);
	}
}

static bool is_code(enum declaration_kind kind)
{
	return kind == DECLARATION_FUNCTION || kind == DECLARATION_ENTRY;
}

/* Tells whether a declaration such as `typedef int x;` or `int x(void);` takes the name of a
 * variable. Definitions of the unit replace it anyway. */
static bool takes_name(const struct unit *unit, const struct declaration *one,
		       const struct declaration *before)
{
	return is_object(before->kind) &&
	       (!is_object(one->kind) ||
		(is_code(one->kind) != is_code(before->kind) && !defined_by(unit, one->name)));
}

int declarations_leaving(struct declarations *d, const char *id, const struct unit *unit,
			 struct buffer *out, struct error *err)
{
	cleanup_free uint32_t *slots = NULL;
	size_t n;

	if (find_leaving(d, id, unit, &slots, &n, err))
		return -1;
	for (size_t i = 0; i < n; i++)
		if (is_object(d->list.items[slots[i]]->d.kind))
			put_name(out, d->list.items[slots[i]]->d.name);
	for (size_t i = 0; i < unit->n_declarations; i++) {
		size_t at = declaration_list_find(&d->list, &unit->declarations[i]);

		if (at < d->list.n &&
		    takes_name(unit, &unit->declarations[i], &d->list.items[at]->d))
			put_name(out, unit->declarations[i].name);
		put_taken(d, unit, &unit->declarations[i], out);
	}
	return buffer_check(out, err);
}

static struct declaration_entry *dropped_entry(const char *name, uint32_t cell, const char *reason,
					       const char *names)
{
	struct declaration gone = { DECLARATION_DROPPED, cell, 0, name, reason, names };

	return declaration_entry_new(&gone, "", NULL, 0);
}

static int clear_slot(struct declarations *d, size_t slot, struct error *err)
{
	return declaration_list_set(&d->list, slot, dropped_entry("", 0, "", ""), err);
}

/* Returns the readable name of a declaration. For C++ the name in the list is a key; an enum
 * without a name has its text as key. */
static const char *plain_name(const struct declaration *d)
{
	bool is_piece = d->kind == DECLARATION_CPP && strncmp(d->host, "enum", 4);

	return is_piece || (d->kind == DECLARATION_CPP && *d->device) ? d->device : d->name;
}

static struct declaration_entry *reason_entry(const struct declaration *gone, uint32_t cell,
					      const char *why, struct error *err)
{
	cleanup_buffer struct buffer reason = BUFFER_INIT;
	struct declaration_entry *e;

	buffer_printf(&reason, "'%s' of In[%u] %s", plain_name(gone), cell, why);
	if (buffer_check(&reason, err))
		return NULL;
	e = dropped_entry(plain_name(gone), cell, buffer_text(&reason),
			  strncmp(gone->host, "enum", 4) ? "" : gone->host);
	if (!e)
		no_memory(err);
	return e;
}

/* Undefines a macro for later cells; declarations behind it go on using it. */
static int undefine(struct declarations *d, size_t slot, struct error *err)
{
	const struct declaration *gone = &d->list.items[slot]->d;
	cleanup_buffer struct buffer text = BUFFER_INIT;
	struct declaration undef = *gone;

	buffer_printf(&text, "#undef %s", gone->name);
	if (buffer_check(&text, err))
		return -1;
	undef.host = undef.device = buffer_text(&text);
	return declaration_list_append(&d->list, declaration_entry_new(&undef, "", NULL, 0), err);
}

static bool is_first_of_key(const struct declarations *d, size_t slot)
{
	for (size_t i = 0; i < slot; i++)
		if (same_key(&d->list.items[i]->d, &d->list.items[slot]->d))
			return false;
	return true;
}

/* Drops a slot and leaves the reason, for code that still uses the name. */
static int drop_slot(struct declarations *d, size_t slot, const char *why, struct error *err)
{
	const struct declaration *gone = &d->list.items[slot]->d;
	struct declaration_entry *e;

	if (!*plain_name(gone))
		return clear_slot(d, slot, err);
	e = reason_entry(gone, gone->cell, why, err);
	if (!e)
		return -1;
	if (gone->kind != DECLARATION_MACRO || (!used_after(d, slot) && is_first_of_key(d, slot)))
		return declaration_list_set(&d->list, slot, e, err);
	if (declaration_list_append(&d->list, e, err))
		return -1;
	return undefine(d, slot, err);
}

static int drop_leaving(struct acceptance *a, struct error *err)
{
	cleanup_free uint32_t *slots = NULL;
	char why[160];
	size_t n;

	if (find_leaving(a->d, a->from->id, a->unit, &slots, &n, err))
		return -1;
	snprintf(why, sizeof(why),
		 "was dropped when that cell was run again, as In[%u], without it", a->from->cell);
	for (size_t i = 0; i < n; i++)
		if (drop_slot(a->d, slots[i], why, err))
			return -1;
	return 0;
}

/* Drops the cell's ownership of a declaration that other cells declare, too. */
static int disown(struct acceptance *a, size_t slot, struct error *err)
{
	const struct declaration_entry *e = a->d->list.items[slot];
	cleanup_free uint32_t *owners = malloc(e->n_owners * sizeof(*owners));
	uint32_t n = 0;

	if (!owners)
		return no_memory(err);
	for (uint32_t i = 0; i < e->n_owners; i++)
		if (e->owners[i] != a->owner)
			owners[n++] = e->owners[i];
	return declaration_list_set(&a->d->list, slot, declaration_entry_new(&e->d, "", owners, n),
				    err);
}

static int leave_to_others(struct acceptance *a, struct error *err)
{
	const struct declaration_slots *mine = tidy_owned(a->d, a->owner);

	for (size_t i = 0; i < mine->n; i++) {
		const struct declaration_entry *e = a->d->list.items[mine->at[i]];

		if (e->n_owners > 1 && !declared_by(a->unit, &e->d) && disown(a, mine->at[i], err))
			return -1;
	}
	return 0;
}

int declarations_drop(struct declarations *d, const struct buffer *names, const char *why,
		      struct error *err)
{
	static const enum declaration_kind spaces[] = { DECLARATION_VARIABLE, DECLARATION_TAG,
							DECLARATION_MACRO };

	for (size_t i = 0; i < names->len; i += strlen(names->data + i) + 1) {
		for (size_t k = 0; k < sizeof(spaces) / sizeof(spaces[0]); k++) {
			struct declaration key = {
				.kind = spaces[k], .name = names->data + i, .host = "", .device = ""
			};
			size_t at = declaration_list_find(&d->list, &key);

			if (at < d->list.n && drop_slot(d, at, why, err))
				return -1;
		}
	}
	return 0;
}

int declarations_refuse(struct declarations *d, uint32_t cell, const struct unit *unit,
			const char *why, struct error *err)
{
	for (size_t i = 0; i < unit->n_declarations; i++) {
		const struct declaration *one = &unit->declarations[i];
		struct declaration key = { .kind = DECLARATION_DROPPED,
					   .name = plain_name(one),
					   .host = "",
					   .device = "" };
		struct declaration_entry *e;
		size_t at;

		if (!*key.name || !declaration_has_name(one->kind) ||
		    declarations_find(d, key.name) || declarations_find(d, one->name))
			continue;
		e = reason_entry(one, cell, why, err);
		if (!e)
			return -1;
		at = declaration_list_find(&d->list, &key);
		if (at < d->list.n ? declaration_list_set(&d->list, at, e, err)
				   : declaration_list_append(&d->list, e, err))
			return -1;
	}
	return 0;
}

/* ---- accepting ---- */

/*
 * Marks the declarations after `at` that use the name there, and those that use these, and so on.
 * Macros are not marked, since they are expanded where they are used.
 */
static void mark_users(const struct declaration_list *l, size_t at, bool *marked)
{
	marked[at] = true;
	for (size_t i = at + 1; i < l->n; i++)
		for (size_t j = at; j < i && !marked[i]; j++)
			marked[i] = marked[j] && l->items[i]->d.kind != DECLARATION_MACRO &&
				    uses(&l->items[i]->d, l->items[j]->d.name);
}

/* Tells whether a dropped declaration need not be named to the user: it was named for the other
 * language, the compiler's note names it, or it is the type itself. */
static bool is_told(const struct acceptance *a, const bool *marked, size_t at, size_t i)
{
	const struct declaration_list *l = &a->d->list;
	const char *name = plain_name(&l->items[i]->d);

	if (!*name || !strcmp(name, l->items[at]->d.name))
		return true;
	for (size_t k = at + 1; k < i; k++)
		if (marked[k] && !strcmp(plain_name(&l->items[k]->d), name))
			return true;
	for (size_t k = 0; k < a->unit->n_declarations; k++) {
		const struct declaration *gone = &a->unit->declarations[k];
		size_t len = strcspn(gone->name, "(");

		if (gone->kind == DECLARATION_CPP && !*gone->host && *gone->device &&
		    strlen(name) == len && !strncmp(gone->name, name, len))
			return true;
	}
	return false;
}

/* Removes the changed type and everything that was declared with it from the list. */
static int drop_type(struct acceptance *a, size_t at, struct error *err)
{
	struct declaration_list *l = &a->d->list;
	cleanup_free bool *marked = calloc(l->n, sizeof(*marked));
	const char *comma = "";

	if (!marked)
		return no_memory(err);
	mark_users(l, at, marked);
	for (size_t i = at + 1; i < l->n; i++) {
		const struct declaration *user = &l->items[i]->d;
		char reason[300];

		if (!marked[i])
			continue;
		if (declared_by(a->unit, user)) {
			if (clear_slot(a->d, i, err))
				return -1;
			continue;
		}
		if (user->kind == DECLARATION_DROPPED)
			continue;
		if (!is_told(a, marked, at, i)) {
			if (!*comma)
				buffer_printf(a->notes,
					      "note: type %s has changed; declared with the old "
					      "one, and so no longer known:",
					      l->items[at]->d.name);
			buffer_printf(a->notes, "%s %s (In[%u])", comma, plain_name(user),
				      user->cell);
			comma = ",";
		}
		snprintf(reason, sizeof(reason),
			 "has the type %s as it was before In[%u] changed it; run that cell again "
			 "to have it with the new one",
			 l->items[at]->d.name, a->from->cell);
		if (drop_slot(a->d, i, reason, err))
			return -1;
	}
	if (*comma)
		buffer_puts(a->notes, ". Run their cells again to have them with the new type.\n");
	return clear_slot(a->d, at, err);
}

/*
 * Makes the entry of a declaration that replaces `before` (NULL: none), with its owners. A cell
 * that only declares what another cell defines does not become its owner.
 */
static struct declaration_entry *owned_entry(const struct acceptance *a,
					     const struct declaration *one, const char *prefix,
					     const struct declaration_entry *before)
{
	cleanup_free uint32_t *owners = NULL;
	uint32_t n = before ? before->n_owners : 0;

	if (!before || is_object(one->kind))
		return declaration_entry_new(one, prefix, &a->owner, 1);
	if (owns(before, a->owner))
		return declaration_entry_new(one, prefix, before->owners, n);
	owners = malloc((n + 1) * sizeof(*owners));
	if (!owners)
		return NULL;
	memcpy(owners, before->owners, n * sizeof(*owners));
	owners[n] = a->owner;
	return declaration_entry_new(one, prefix, owners, n + 1);
}

static int put(struct acceptance *a, size_t slot, struct declaration_entry *e, struct error *err)
{
	if (slot < a->d->list.n ? declaration_list_set(&a->d->list, slot, e, err)
				: declaration_list_append(&a->d->list, e, err))
		return -1;
	return note_owned(a->d, a->owner, slot) ? no_memory(err) : 0;
}

/* Removes the reason of a name that has a meaning again. */
static int forget_reason(struct declarations *d, const char *name, struct error *err)
{
	struct declaration key = {
		.kind = DECLARATION_DROPPED, .name = name, .host = "", .device = ""
	};
	size_t at = *name ? declaration_list_find(&d->list, &key) : d->list.n;

	return at < d->list.n ? clear_slot(d, at, err) : 0;
}

/* Removes the declaration for C cells, too: it uses the same type, and C++ cells would take it for
 * a declaration of C. */
static int take_out_of_c(struct acceptance *a, const struct declaration *gone, struct error *err)
{
	struct declaration key = {
		.kind = DECLARATION_VARIABLE, .name = gone->device, .host = "", .device = ""
	};
	size_t at = declaration_list_find(&a->d->list, &key);

	return at < a->d->list.n && a->d->list.items[at]->d.cell == gone->cell
		       ? clear_slot(a->d, at, err)
		       : 0;
}

/* Removes a declaration; `changed` is the name of the type that it was declared with, or "". */
static int take_out(struct acceptance *a, size_t slot, const char *changed, struct error *err)
{
	char reason[300];

	if (!*changed)
		return clear_slot(a->d, slot, err);
	if (take_out_of_c(a, &a->d->list.items[slot]->d, err))
		return -1;
	snprintf(reason, sizeof(reason),
		 "was declared with '%s' as it was before In[%u] changed it; run that cell again "
		 "to have it with the new one",
		 changed, a->from->cell);
	return drop_slot(a->d, slot, reason, err);
}

static int accept_one(struct acceptance *a, const struct declaration *one, struct error *err)
{
	struct declaration_list *l = &a->d->list;
	size_t at = declaration_list_find(l, one);
	const struct declaration_entry *before = at < l->n ? l->items[at] : NULL;
	cleanup_buffer struct buffer undef = BUFFER_INIT;

	if (before && is_object(one->kind) && same_text(&before->d, one) &&
	    !defined_by(a->unit, one->name))
		return 0;
	if (before && is_type(&before->d) && is_incomplete(one))
		return 0;
	/* A C++ declaration that does not compile any more with the new declarations. */
	if (one->kind == DECLARATION_CPP && !*one->host)
		return before ? take_out(a, at, one->device, err) : 0;
	/* A changed type was removed before, so a type with the same tokens keeps its place. */
	if (before && one->kind == DECLARATION_CPP && same_tokens(before->d.host, one->host))
		return put(a, at, owned_entry(a, one, "", before), err);
	if (before && (same_text(&before->d, one) || is_type(&before->d)))
		return put(a, at, owned_entry(a, one, "", before), err);
	if (forget_reason(a->d, one->name, err))
		return -1;
	if (before && before->d.kind == DECLARATION_MACRO && used_after(a->d, at)) {
		if (strncmp(one->host, "#undef", 6))
			buffer_printf(&undef, "#undef %s\n", one->name);
	} else if (before && clear_slot(a->d, at, err)) {
		return -1;
	}
	if (buffer_check(&undef, err))
		return -1;
	return put(a, l->n, owned_entry(a, one, buffer_text(&undef), NULL), err);
}

/* Moves a declaration to the end of the list, with its owners. It may have been removed with a type
 * that changed. */
static int move_behind(struct declarations *d, const char *name, struct error *err)
{
	struct declaration key = {
		.kind = DECLARATION_CPP, .name = name, .host = "", .device = ""
	};
	size_t at = declaration_list_find(&d->list, &key), slot = d->list.n;
	const struct declaration_entry *before = at < slot ? d->list.items[at] : NULL;
	struct declaration_entry *moved;

	if (!before)
		return 0;
	moved = declaration_entry_new(&before->d, "", before->owners, before->n_owners);
	if (clear_slot(d, at, err)) {
		declaration_entry_drop(moved);
		return -1;
	}
	if (declaration_list_append(&d->list, moved, err))
		return -1;
	for (uint32_t i = 0; i < moved->n_owners; i++)
		if (note_owned(d, moved->owners[i], slot))
			return no_memory(err);
	return 0;
}

static int drop_taken(struct acceptance *a, const struct declaration *one, struct error *err)
{
	const char *p = one->host, *name;
	size_t len;

	while (is_enum(one) && next_constant(&p, &name, &len)) {
		size_t at = taken_by_constant(a->d, a->unit, name, len);

		if (at < a->d->list.n && clear_slot(a->d, at, err))
			return -1;
	}
	return 0;
}

/* Removes the changed types first, since they take others along; the declarations of the unit are
 * added after that. */
static int drop_changed_types(struct acceptance *a, struct error *err)
{
	for (size_t i = 0; i < a->unit->n_declarations; i++) {
		size_t at = declaration_list_find(&a->d->list, &a->unit->declarations[i]);

		if (at < a->d->list.n &&
		    changes_type(&a->d->list.items[at]->d, &a->unit->declarations[i]) &&
		    drop_type(a, at, err))
			return -1;
	}
	return 0;
}

static int find_owner(struct declarations *d, const struct declaration_source *from, uint32_t *ret,
		      struct error *err)
{
	uint32_t number;

	*ret = NO_OWNER;
	if (!from->id || !*from->id)
		return 0;
	number = names_add(&d->ids, from->id, strlen(from->id));
	if (number == NAME_NONE)
		return no_memory(err);
	*ret = number + 1;
	return 0;
}

int declarations_accept(struct declarations *d, const struct declaration_source *from,
			const struct unit *unit, struct buffer *notes, struct error *err)
{
	struct acceptance a = { .d = d, .from = from, .unit = unit, .notes = notes };

	declaration_list_compact(&d->list);
	if (find_owned(d) || find_owner(d, from, &a.owner, err))
		return no_memory(err);
	if (from->whole && (drop_leaving(&a, err) || leave_to_others(&a, err)))
		return -1;
	if (drop_changed_types(&a, err))
		return -1;
	for (size_t i = 0; i < unit->n_declarations; i++)
		if (accept_one(&a, &unit->declarations[i], err) ||
		    drop_taken(&a, &unit->declarations[i], err))
			return -1;
	for (size_t i = 0; i < unit->n_behind; i++)
		if (move_behind(d, unit->behind[i], err))
			return -1;
	return 0;
}

int declarations_keep(struct declarations *d, struct declarations_kept *ret, struct error *err)
{
	uint64_t mark;

	if (declaration_list_keep(&d->list, &mark, err))
		return -1;
	*ret = (struct declarations_kept){ d, mark };
	return 0;
}

void declarations_kept_release(struct declarations_kept *k)
{
	if (k->of)
		declaration_list_forget(&k->of->list, k->mark);
	*k = (struct declarations_kept){ 0 };
}

void declarations_return(struct declarations *d, struct declarations_kept *k)
{
	if (!k->of)
		return;
	declaration_list_return(&d->list, k->mark);
	declarations_kept_release(k);
}

void declarations_release(struct declarations *d)
{
	declaration_list_release(&d->list);
	names_release(&d->ids);
	for (size_t i = 0; i < d->n_owned; i++)
		free(d->owned[i].at);
	free(d->owned);
	memset(d, 0, sizeof(*d));
}

void declarations_clear(struct declarations *d)
{
	declaration_list_clear(&d->list);
}

const struct declaration *declarations_find(const struct declarations *d, const char *name)
{
	static const enum declaration_kind spaces[] = { DECLARATION_VARIABLE, DECLARATION_TAG,
							DECLARATION_MACRO };

	for (size_t k = 0; *name && k < sizeof(spaces) / sizeof(spaces[0]); k++) {
		struct declaration key = {
			.kind = spaces[k], .name = name, .host = "", .device = ""
		};

		size_t at = declaration_list_find(&d->list, &key);

		if (at < d->list.n)
			return &d->list.items[at]->d;
	}
	return NULL;
}

int declarations_take_changes(struct declarations *d, size_t *ret_total,
			      struct declaration_change **ret, size_t *ret_n, struct error *err)
{
	return declaration_list_take_changes(&d->list, ret_total, ret, ret_n, err);
}
