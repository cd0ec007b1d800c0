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
	handler *prepare, *parent, *child;
} handlers[HANDLERS_MAX];
static unsigned n_handlers;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* What pthread_atfork() becomes in a library. */
register_atfork __register_atfork;
__attribute__((visibility("default"))) int __register_atfork(handler *prepare, handler *parent,
							     handler *child, void *dso)
{
	register_atfork *libc = dlsym(RTLD_NEXT, "__register_atfork");

	pthread_mutex_lock(&lock);
	if (n_handlers < HANDLERS_MAX) {
		handlers[n_handlers].prepare = prepare;
		handlers[n_handlers].parent = parent;
		handlers[n_handlers++].child = child;
	}
	pthread_mutex_unlock(&lock);
	return libc ? libc(prepare, parent, child, dso) : -1;
}

void fork_handlers_prepare(void)
{
	for (unsigned i = n_handlers; i-- > 0;)
		if (handlers[i].prepare)
			handlers[i].prepare();
}

void fork_handlers_parent(void)
{
	for (unsigned i = 0; i < n_handlers; i++)
		if (handlers[i].parent)
			handlers[i].parent();
}

void fork_handlers_child(void)
{
	for (unsigned i = 0; i < n_handlers; i++)
		if (handlers[i].child)
			handlers[i].child();
}
