/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A chained hash table that doubles, and beside it the list of all symbols ever made, for look-up
 * by address. Symbols are never removed: an earlier unit may refer to them for as long as the
 * session lives.
 */
#include "runtime/loader/symbols.h"

#include <stdio.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "runtime/arena/arena.h"
#include "runtime/arena/meta.h"
#include "runtime/loader/thread-local-control.h"

#define BUCKETS_MIN 256
#define SLOT_CHUNK 64
#define NEAR_FUNCTION 2048
#define DATA_CHUNK (16 * 1024)
/* Promised names have addresses where nothing is mapped, far enough apart for members and elements
 * to be told. */
#define PROMISED_BASE 0x100000000000ull
#define PROMISED_STEP 0x1000000ull
#define PROMISED_MAX 0x10000u

struct symbols {
	struct symbol **buckets;
	uint32_t n_buckets;
	uint32_t n_names;
	struct symbol **all;
	uint32_t n_all;
	uint32_t cap_all;
	uint64_t data_at; /* the rest of the DATA chunk being cut */
	uint64_t data_end;
	uint64_t slot_at;
	uint64_t slot_end;
	uint64_t *guards; /* addresses */
	uint32_t n_guards;
	uint32_t cap_guards;
};

static symbols_library *find_in_libraries;

static struct symbols *table(void)
{
	return (struct symbols *)arena_header()->root[ARENA_ROOT_LOADER];
}

static uint32_t hash(const char *name)
{
	uint32_t h = 2166136261u;

	while (*name)
		h = (h ^ (unsigned char)*name++) * 16777619u;
	return h;
}

static int make_table(struct error *err)
{
	struct symbols *t = meta_alloc(sizeof(*t));

	if (t)
		t->buckets = meta_alloc(BUCKETS_MIN * sizeof(*t->buckets));
	if (!t || !t->buckets)
		return error_set(err, ERROR_MEMORY, "no memory for the session's names");
	t->n_buckets = BUCKETS_MIN;
	arena_header()->root[ARENA_ROOT_LOADER] = (uint64_t)(uintptr_t)t;
	return 0;
}

static void relink(struct symbol *s, struct buffer *missing)
{
	uint64_t address = find_in_libraries(s->name);

	if (!address && s->address)
		buffer_printf(missing, "'%s' of a library that is no longer loaded\n", s->name);
	if (s->address != address)
		s->address = address;
	if (*s->got != address)
		*s->got = address;
}

int symbols_attach(symbols_library *library, struct buffer *missing, struct error *err)
{
	find_in_libraries = library;
	if (!table())
		return make_table(err);
	for (uint32_t i = 0; i < table()->n_all; i++) {
		if (table()->all[i]->kind == SYMBOL_LIBRARY)
			relink(table()->all[i], missing);
	}
	return 0;
}

struct symbol *symbols_find(const char *name)
{
	struct symbol *s = table()->buckets[hash(name) % table()->n_buckets];

	while (s && strcmp(s->name, name) != 0)
		s = s->next;
	return s;
}

struct symbol *symbols_resolve(const char *name)
{
	struct symbol *s = symbols_find(name);

	return s && !s->dropped ? s : NULL;
}

void symbols_drop(const char *name)
{
	struct symbol *s = symbols_find(name);

	if (s && s->kind != SYMBOL_LIBRARY)
		s->dropped = 1;
}

static void grow_buckets(struct symbols *t)
{
	uint32_t n = t->n_buckets * 2;
	struct symbol **buckets = meta_alloc(n * sizeof(*buckets));

	if (!buckets)
		return; /* longer chains are no error */
	for (uint32_t i = 0; i < t->n_buckets; i++) {
		for (struct symbol *s = t->buckets[i], *next; s; s = next) {
			next = s->next;
			s->next = buckets[hash(s->name) % n];
			buckets[hash(s->name) % n] = s;
		}
	}
	meta_free(t->buckets);
	t->buckets = buckets;
	t->n_buckets = n;
}

static int remember(struct symbols *t, struct symbol *s)
{
	if (t->n_all == t->cap_all) {
		uint32_t cap = t->cap_all ? t->cap_all * 2 : 64;
		struct symbol **all = meta_alloc(cap * sizeof(*all));

		if (!all)
			return -1;
		if (t->n_all)
			memcpy(all, t->all, t->n_all * sizeof(*all));
		meta_free(t->all);
		t->all = all;
		t->cap_all = cap;
	}
	t->all[t->n_all++] = s;
	return 0;
}

void *symbols_data(size_t size, size_t align)
{
	struct symbols *t = table();
	uint64_t at = (t->data_at + align - 1) & ~(uint64_t)(align - 1);

	if (!t->data_at || at + size > t->data_end) {
		size_t slack = align > ARENA_PAGE ? align - ARENA_PAGE : 0, want = size + slack;
		size_t chunk = want > DATA_CHUNK ? (want + ARENA_PAGE - 1) & ~(ARENA_PAGE - 1)
						 : DATA_CHUNK;
		uint64_t p = (uint64_t)(uintptr_t)arena_grow(ARENA_DATA, chunk);

		if (!p)
			return NULL;
		at = (p + align - 1) & ~(uint64_t)(align - 1);
		t->data_end = p + chunk;
	}
	t->data_at = at + size;
	return (void *)at;
}

void *symbols_guarded_data(size_t size, size_t align)
{
	struct symbols *t = table();
	char *p;

	if (t->n_guards == t->cap_guards) {
		uint32_t cap = t->cap_guards ? 2 * t->cap_guards : 64;
		uint64_t *guards = meta_alloc(cap * sizeof(*guards));

		if (!guards)
			return NULL;
		if (t->n_guards)
			memcpy(guards, t->guards, t->n_guards * sizeof(*guards));
		meta_free(t->guards);
		t->guards = guards;
		t->cap_guards = cap;
	}
	/* The shadow tells apart eight bytes: no two variables share them. */
	p = symbols_data(size + SYMBOLS_GUARD, align < 8 ? 8 : align);
	if (p)
		t->guards[t->n_guards++] = (uint64_t)(uintptr_t)p + size;
	return p;
}

void symbols_each_guard(void (*fn)(uint64_t at, uint64_t size))
{
	const struct symbols *t = table();

	for (uint32_t i = 0; i < t->n_guards; i++)
		fn(t->guards[i], SYMBOLS_GUARD);
}

uint64_t *symbols_anonymous_slot(void)
{
	struct symbols *t = table();

	if (t->slot_at == t->slot_end) {
		t->slot_at = (uint64_t)(uintptr_t)symbols_data(SLOT_CHUNK * 8, 64);
		t->slot_end = t->slot_at ? t->slot_at + SLOT_CHUNK * 8ul : 0;
		if (!t->slot_at)
			return NULL;
	}
	t->slot_at += 8;
	return (uint64_t *)(t->slot_at - 8);
}

static struct symbol *new_symbol(const struct definition *d)
{
	struct symbols *t = table();
	struct symbol *s = meta_alloc(sizeof(*s));

	if (!s)
		return NULL;
	s->name = meta_strdup(d->name);
	s->type = meta_strdup(d->type);
	s->got = symbols_anonymous_slot();
	if (!s->name || !s->type || !s->got || remember(t, s))
		return NULL;
	s->kind = (uint8_t)d->kind;
	s->size = d->size;
	s->cell = d->cell;
	s->weak = d->weak;
	s->layout = d->layout;
	return s;
}

static void enter(struct symbol *s)
{
	struct symbols *t = table();
	struct symbol **bucket;

	if (++t->n_names > t->n_buckets)
		grow_buckets(t);
	bucket = &t->buckets[hash(s->name) % t->n_buckets];
	s->next = *bucket;
	*bucket = s;
}

static void leave(struct symbol *s)
{
	struct symbol **at = &table()->buckets[hash(s->name) % table()->n_buckets];

	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	s->next = NULL;
	s->replaced = 1;
	table()->n_names--;
}

/* As another type: the name comes back to what it was, and to those who use it still. NULL: there
 * is none. */
static struct symbol *take_older(struct symbol *s, const struct definition *d)
{
	struct symbol **at = &s->older, *found;

	while (*at && !symbols_keeps(*at, d))
		at = &(*at)->older;
	found = *at;
	if (found) {
		*at = found->older;
		found->replaced = 0;
	}
	return found;
}

bool symbols_keeps(const struct symbol *s, const struct definition *d)
{
	/* An inline variable of C++ is in each object whose cell uses it, and typed by the cell
	 * that defines it only. A function of C++ that a file defines which is included has no type
	 * at all. */
	bool untyped = !*s->type || !*d->type;
	bool same = s->layout && d->layout ? s->layout == d->layout : !strcmp(s->type, d->type);

	if (s->kind != d->kind || (!same && !untyped))
		return false;
	return s->kind == SYMBOL_FUNCTION || s->size == d->size;
}

/* One type may have several spellings. */
static int respell(struct symbol *s, const char *type)
{
	char *copy;

	if (!*type || !strcmp(s->type, type))
		return 0;
	copy = meta_strdup(type);
	if (!copy)
		return -1;
	meta_free((char *)s->type);
	s->type = copy;
	return 0;
}

/* Those that refer to it already get what it is defined as now. */
static struct symbol *keep_promise(struct symbol *s, const struct definition *d)
{
	if (respell(s, d->type))
		return NULL;
	s->kind = (uint8_t)d->kind;
	s->size = d->size;
	s->cell = d->cell;
	s->weak = d->weak;
	s->layout = d->layout;
	s->address = 0;
	return s;
}

struct symbol *symbols_promise(const char *name)
{
	struct definition d = { .name = name, .type = "", .kind = SYMBOL_PROMISED };
	struct symbol *s = symbols_find(name);

	if (s && s->kind == SYMBOL_PROMISED)
		return s;
	s = symbols_define(&d);
	if (s)
		symbols_place(s, PROMISED_BASE + table()->n_all % PROMISED_MAX * PROMISED_STEP);
	return s;
}

const struct symbol *symbols_promised_at(uint64_t address)
{
	const struct symbols *t = arena_attached() ? table() : NULL;

	if (!t || address - PROMISED_BASE > PROMISED_MAX * PROMISED_STEP)
		return NULL;
	for (uint32_t i = 0; i < t->n_all; i++)
		if (t->all[i]->kind == SYMBOL_PROMISED &&
		    address - t->all[i]->address < PROMISED_STEP)
			return t->all[i];
	return NULL;
}

static int define_again(struct symbol *s, const struct definition *d)
{
	if (respell(s, d->type))
		return -1;
	s->size = d->size;
	s->cell = d->cell;
	s->weak = d->weak;
	s->dropped = 0;
	return 0;
}

struct symbol *symbols_define(const struct definition *d)
{
	struct symbol *s = symbols_find(d->name), *before;

	if (s && s->kind == SYMBOL_PROMISED)
		return keep_promise(s, d);
	if (s && symbols_keeps(s, d))
		return define_again(s, d) ? NULL : s;
	before = s;
	s = before ? take_older(before, d) : NULL;
	if (s && define_again(s, d))
		return NULL;
	if (!s)
		s = new_symbol(d);
	if (!s)
		return NULL;
	if (before)
		leave(before);
	s->older = before;
	enter(s);
	return s;
}

int symbols_add_user(struct symbol *s, uint64_t code)
{
	if (s->n_users == s->cap_users) {
		uint32_t cap = s->cap_users ? s->cap_users * 2 : 4;
		uint64_t *users = meta_alloc(cap * sizeof(*users));

		if (!users)
			return -1;
		if (s->n_users)
			memcpy(users, s->users, s->n_users * sizeof(*users));
		meta_free(s->users);
		s->users = users;
		s->cap_users = cap;
	}
	s->users[s->n_users++] = code;
	return 0;
}

void symbols_place(struct symbol *s, uint64_t address)
{
	s->address = address;
	*s->got = address;
}

/* The control finds the variable by name in each process anew, so it is no name of a library
 * itself. */
static struct symbol *import_thread_local(const char *name, const char *variable)
{
	struct definition d = { .name = name, .type = "", .kind = SYMBOL_OBJECT };
	struct thread_local_control *c =
		find_in_libraries(variable) ? meta_alloc(sizeof(*c)) : NULL;
	struct symbol *s;

	if (!c)
		return NULL;
	*c = (struct thread_local_control){ .align = THREAD_LOCAL_LIBRARY,
					    .initial = meta_strdup(variable) };
	s = c->initial ? symbols_define(&d) : NULL;
	if (s)
		symbols_place(s, (uint64_t)(uintptr_t)c);
	return s;
}

struct symbol *symbols_import(const char *name)
{
	size_t prefix = strlen(SYMBOLS_THREAD_LOCAL);

	if (strncmp(name, SYMBOLS_THREAD_LOCAL, prefix) == 0)
		return import_thread_local(name, name + prefix);

	struct definition d = { .name = name, .type = "", .kind = SYMBOL_LIBRARY };
	uint64_t address = find_in_libraries(name);
	struct symbol *s = address ? symbols_define(&d) : NULL;

	if (s)
		symbols_place(s, address);
	return s;
}

/* Is s an answer to what lies at address, and better than the one before (NULL: none)? */
typedef bool better_symbol(const struct symbol *s, const struct symbol *best, uint64_t address);

static const struct symbol *best_symbol(better_symbol *better, uint64_t address)
{
	const struct symbols *t = arena_attached() ? table() : NULL;
	const struct symbol *best = NULL;

	for (uint32_t i = 0; t && i < t->n_all; i++)
		if (better(t->all[i], best, address))
			best = t->all[i];

	return best;
}

static bool holds(const struct symbol *s, const struct symbol *best, uint64_t address)
{
	uint64_t size = s->size ? s->size : 1;

	return s->kind != SYMBOL_LIBRARY && s->kind != SYMBOL_PROMISED &&
	       address - s->address < size && (!best || !s->replaced);
}

const struct symbol *symbols_at(uint64_t address)
{
	return best_symbol(holds, address);
}

static bool ends_before(const struct symbol *s, const struct symbol *best, uint64_t address)
{
	return s->kind == SYMBOL_OBJECT && s->address && address >= s->address + s->size &&
	       address - s->address - s->size < NEAR_VARIABLE &&
	       (!best || s->address >= best->address);
}

const struct symbol *symbols_before(uint64_t address)
{
	return best_symbol(ends_before, address);
}

static bool is_library_near(const struct symbol *s, const struct symbol *best, uint64_t address)
{
	return s->kind == SYMBOL_LIBRARY && s->address && address - s->address < NEAR_FUNCTION &&
	       (!best || s->address > best->address);
}

const struct symbol *symbols_library_at(uint64_t address)
{
	return best_symbol(is_library_near, address);
}

const struct symbol *symbols_pointing_to(uint64_t address)
{
	const struct symbols *t = arena_attached() ? table() : NULL;

	for (uint32_t i = 0; t && i < t->n_all; i++) {
		const struct symbol *s = t->all[i];

		if (s->kind == SYMBOL_OBJECT && s->size == 8 && !s->replaced &&
		    s->address % 8 == 0 && address_in_arena(s->address) &&
		    *(const uint64_t *)s->address == address)
			return s;
	}
	return NULL;
}

void symbols_each_variable(void (*fn)(void *data, const struct symbol *s), void *data)
{
	const struct symbols *t = table();

	for (uint32_t i = 0; i < t->n_all; i++) {
		const struct symbol *s = t->all[i];

		if (s->kind == SYMBOL_OBJECT && !s->replaced && address_in_arena(s->address))
			fn(data, s);
	}
}
