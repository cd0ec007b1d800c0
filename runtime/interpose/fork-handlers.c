/* SPDX-License-Identifier: Apache-2.0 */
/* Stands before libc's function of the same name for every library; libc is told too, for the
 * fork() of cells. */
#define _GNU_SOURCE
#include "runtime/interpose/fork-handlers.h"

#include <dlfcn.h>
#include <pthread.h>

#define HANDLERS_MAX 64

typedef void handler(void);
typedef int register_atfork(handler *prepare, handler *parent, handler *child, void *dso);

static struct {
	struct {
		handler *prepare, *parent, *child;
	} at[HANDLERS_MAX];
	unsigned n;
	pthread_mutex_t lock;
} handlers = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* pthread_atfork() in a library is a call of this. */
register_atfork __register_atfork;
__attribute__((visibility("default"))) int __register_atfork(handler *prepare, handler *parent,
							     handler *child, void *dso)
{
	register_atfork *libc = dlsym(RTLD_NEXT, "__register_atfork");

	pthread_mutex_lock(&handlers.lock);
	if (handlers.n < HANDLERS_MAX) {
		handlers.at[handlers.n].prepare = prepare;
		handlers.at[handlers.n].parent = parent;
		handlers.at[handlers.n++].child = child;
	}
	pthread_mutex_unlock(&handlers.lock);
	return libc ? libc(prepare, parent, child, dso) : -1;
}

void fork_handlers_prepare(void)
{
	for (unsigned i = handlers.n; i-- > 0;)
		if (handlers.at[i].prepare)
			handlers.at[i].prepare();
}

void fork_handlers_parent(void)
{
	for (unsigned i = 0; i < handlers.n; i++)
		if (handlers.at[i].parent)
			handlers.at[i].parent();
}

void fork_handlers_child(void)
{
	for (unsigned i = 0; i < handlers.n; i++)
		if (handlers.at[i].child)
			handlers.at[i].child();
}
