/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A variable is made when it is first reached. The address of the cell thread's is kept in the
 * control itself; another thread keeps its own in a linked list, found by the control. The list,
 * its variables and the destructors are allocated in library mode, so that malloc() does not give
 * them session memory: they end with the thread and are no part of a rollback. Size 0 marks the
 * controls that the loader makes, which lead to a library's variable by dlsym() or to a place in
 * another control's block.
 */
#define _GNU_SOURCE
#include "runtime/exports/thread-local.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/bug.h"
#include "common/base/error.h"
#include "common/protocol/worker-protocol.h"
#include "runtime/arena/allocator.h"
#include "runtime/exports/at-exit.h"
#include "runtime/faults/host-fault.h"
#include "runtime/process/cell-mode.h"

/* The variables of one other thread. */
struct thread_variable {
	struct thread_variable *next;
	const struct thread_local_control *control;
	void *address;
};

struct thread_destructor {
	struct thread_destructor *next;
	void (*fn)(void *object);
	void *object;
};

static __thread struct {
	struct thread_variable *variables;
	struct thread_destructor *destructors;
	bool other_thread; /* none of the cell's own */
} mine;

void thread_local_begin(void)
{
	mine.other_thread = true;
}

int thread_local_at_exit(void (*fn)(void *object), void *object, void *dso)
{
	struct thread_destructor *d;

	/* The cells' own thread does not end: its objects go as the static ones do. */
	if (!mine.other_thread)
		return at_exit_add_destructor(fn, object, dso);
	cell_mode_enter_library();
	d = malloc(sizeof(*d));
	cell_mode_leave_library();
	if (!d)
		return -1;
	*d = (struct thread_destructor){ mine.destructors, fn, object };
	mine.destructors = d;
	return 0;
}

void thread_local_end(void)
{
	while (mine.destructors) {
		struct thread_destructor *d = mine.destructors;

		mine.destructors = d->next;
		d->fn(d->object);
		free(d);
	}
	while (mine.variables) {
		struct thread_variable *v = mine.variables;

		mine.variables = v->next;
		free(v->address);
		free(v);
	}
}

static void *new_variable(const struct thread_local_control *c, bool session)
{
	size_t align = c->align < 16 ? 16 : c->align;
	void *p = session ? allocator_alloc(c->size, align)
			  : aligned_alloc(align, (c->size + align - 1) / align * align);

	if (!p)
		host_fault_raise(FAULT_OUT_OF_MEMORY,
				 "no memory for a thread-local variable of %zu bytes", c->size);
	if (c->initial)
		memcpy(p, c->initial, c->size);
	else
		memset(p, 0, c->size);
	return p;
}

static void *of_other_thread(const struct thread_local_control *c)
{
	struct thread_variable *v = mine.variables;

	while (v && v->control != c)
		v = v->next;
	if (v)
		return v->address;
	cell_mode_enter_library();
	v = malloc(sizeof(*v));
	if (!v)
		host_fault_raise(FAULT_OUT_OF_MEMORY, "no memory for a thread-local variable");
	*v = (struct thread_variable){ mine.variables, c, new_variable(c, false) };
	mine.variables = v;
	cell_mode_leave_library();
	return v->address;
}

static void *special(const struct thread_local_control *c)
{
	switch ((enum thread_local_kind)c->align) {
	case THREAD_LOCAL_LIBRARY:
		return dlsym(RTLD_DEFAULT, c->initial); /* of the calling thread */
	case THREAD_LOCAL_PART:
		return (char *)thread_local_address(c->object.address) + (uintptr_t)c->initial;
	}
	BUG("a thread-local control of kind %zu", c->align);
}

void *thread_local_address(struct thread_local_control *c)
{
	if (!c->size)
		return special(c);
	if (mine.other_thread)
		return of_other_thread(c);
	if (!c->object.address)
		c->object.address = new_variable(c, true);
	return c->object.address;
}

void *thread_local_index_address(const struct thread_local_index *i)
{
	return (char *)thread_local_address(i->control) + i->offset;
}
