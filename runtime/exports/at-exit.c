/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A singly linked list in META, the newest first. An entry is taken off before it is called. A
 * destructor of the C++ library (of a std::string) is kept as the name that units reach it by,
 * since that is bound anew in each process.
 */
#include "runtime/exports/at-exit.h"

#include <pthread.h>
#include <stddef.h>

#include "runtime/arena/arena.h"
#include "runtime/arena/meta.h"
#include "runtime/loader/loader.h"
#include "runtime/loader/symbols.h"
#include "runtime/loader/units.h"

struct at_exit {
	struct at_exit *next;         /* registered before */
	uint64_t fn;                  /* in a unit; of no use when there is a library */
	const struct symbol *library; /* fn is this one of a library; NULL: it is not */
	void *arg;
	uint64_t unit; /* address in its code; 0: a handler, which takes no argument */
	bool due;
};

typedef bool at_exit_filter(const struct at_exit *e, uint64_t value);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct at_exit **root(void)
{
	return (struct at_exit **)&arena_header()->root[ARENA_ROOT_AT_EXIT];
}

static void begin(void)
{
	meta_enter();
	pthread_mutex_lock(&lock);
}

static void end(void)
{
	pthread_mutex_unlock(&lock);
	meta_leave();
}

static const struct symbol *library_function(uint64_t fn)
{
	const struct symbol *s = units_find(fn) ? NULL : symbols_library_at(fn);

	return s && s->address == fn ? s : NULL;
}

static int add(uint64_t fn, void *arg, uint64_t unit)
{
	struct at_exit *e;

	begin();
	e = meta_alloc(sizeof(*e));
	if (e) {
		*e = (struct at_exit){ *root(), fn, library_function(fn), arg, unit, false };
		*root() = e;
	}
	end();
	return e ? 0 : -1;
}

int at_exit_add_destructor(void (*fn)(void *arg), void *arg, const void *dso)
{
	return add((uint64_t)(uintptr_t)fn, arg, (uint64_t)(uintptr_t)dso);
}

int at_exit_add_handler(void (*fn)(void))
{
	return add((uint64_t)(uintptr_t)fn, NULL, 0);
}

/* The newest that is wanted leaves the list. */
static bool take(at_exit_filter *wanted, uint64_t value, struct at_exit *ret)
{
	struct at_exit **at, *e;

	begin();
	at = root();
	while (*at && !wanted(*at, value))
		at = &(*at)->next;
	e = *at;
	if (e) {
		*ret = *e;
		*at = e->next;
		meta_free(e);
	}
	end();
	return e != NULL;
}

static void call(const struct at_exit *e)
{
	uint64_t fn = e->library ? e->library->address : e->fn;

	if (!fn)
		return; /* of a library that this process does not have */
	if (e->unit)
		((void (*)(void *))(uintptr_t)fn)(e->arg);
	else
		((void (*)(void))(uintptr_t)fn)();
}

static void run(at_exit_filter *wanted, uint64_t value)
{
	struct at_exit e;

	while (take(wanted, value, &e))
		call(&e);
}

unsigned at_exit_count(void)
{
	unsigned n = 0;

	begin();
	for (const struct at_exit *e = *root(); e; e = e->next)
		n++;
	end();
	return n;
}

static bool is_any(const struct at_exit *e, uint64_t value)
{
	(void)e;
	(void)value;
	return true;
}

void at_exit_run(unsigned first)
{
	struct at_exit e;

	while (at_exit_count() > first && take(is_any, 0, &e))
		call(&e);
}

static bool ends_with_cell(const struct at_exit *e, uint64_t cell)
{
	const struct unit_code *u = e->unit ? units_find(e->unit) : NULL;

	return !u || u->cell == cell;
}

void at_exit_run_cell(uint32_t cell)
{
	run(ends_with_cell, cell);
}

void at_exit_mark(void *unused, uint64_t address, uint64_t size)
{
	(void)unused;
	begin();
	for (struct at_exit *e = *root(); e; e = e->next)
		e->due |= e->unit && (uint64_t)(uintptr_t)e->arg - address < size;
	end();
}

static bool is_shared(const struct at_exit *e)
{
	const struct symbol *s = symbols_at((uint64_t)(uintptr_t)e->arg);

	return s && loader_has_other_users(s, units_find(e->unit));
}

void at_exit_mark_owner(uint64_t owner)
{
	begin();
	for (struct at_exit *e = *root(); e && owner; e = e->next) {
		const struct unit_code *u = e->unit ? units_find(e->unit) : NULL;

		e->due |= u && u->owner == owner && !is_shared(e);
	}
	end();
}

void at_exit_mark_unit(const struct unit_code *u)
{
	begin();
	for (struct at_exit *e = *root(); e; e = e->next)
		e->due |=
			e->unit ? e->unit == u->start && !is_shared(e) : e->fn - u->start < u->size;
	end();
}

static bool is_due(const struct at_exit *e, uint64_t value)
{
	(void)value;
	return e->due;
}

bool at_exit_is_due(void)
{
	bool due = false;

	begin();
	for (const struct at_exit *e = *root(); e && !due; e = e->next)
		due = e->due;
	end();
	return due;
}

void at_exit_run_marked(void *unused)
{
	(void)unused;
	run(is_due, 0);
}
