/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One thread compiles, takes what is to be done from a list, and frees the code of programs that
 * are gone. It blocks all signals, as the helpers of machine-pool.c do. The program may be freed
 * while it is compiled: the compiler works on a copy, and `program` is looked at under the lock
 * before a block is put in place.
 */
#define _GNU_SOURCE
#include "emulator/hot/hot.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/error.h"
#include "emulator/exec/core.h"
#include "emulator/hot/hot-compiler.h"
#include "emulator/warp/exec.h"

#define PLUGIN "cgpu-hot.so"

struct hot {
	struct ptx_program *program; /* NULL: gone */
	struct hot_program copy;
	struct hot_code *code;
	int blocks;
	bool listed; /* in the list, or the thread has it */
	struct hot *next;
};

static struct hot_queue {
	pthread_mutex_t lock;
	pthread_cond_t wake;
	pid_t owner; /* process of the thread; 0: there is none */
	struct hot *list;
} hot = { .lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER };

/* The plug-in, which stays loaded as long as the process. */
static struct plugin {
	pthread_once_t once;
	const struct hot_compiler *compiler; /* NULL: it cannot be loaded */
	char problem[256];                   /* why */
} plugin = { .once = PTHREAD_ONCE_INIT };

/* The plug-in stands beside this library, or beside the program that it is part of. */
static void load_plugin(void)
{
	char self[PATH_MAX], *slash;
	Dl_info info;
	void *lib;

	if (!dladdr(&hot, &info) || !realpath(info.dli_fname, self) ||
	    !(slash = strrchr(self, '/')) ||
	    (size_t)(slash - self) + sizeof("/" PLUGIN) > sizeof(self)) {
		snprintf(plugin.problem, sizeof(plugin.problem),
			 "the emulator cannot find its own file");
		return;
	}
	memcpy(slash, "/" PLUGIN, sizeof("/" PLUGIN));
	lib = dlopen(self, RTLD_NOW | RTLD_LOCAL);
	if (lib)
		plugin.compiler = dlsym(lib, HOT_COMPILER_SYMBOL);
	if (!plugin.compiler)
		snprintf(plugin.problem, sizeof(plugin.problem), "%s", dlerror());
}

static void hot_free(struct hot *h)
{
	if (!h)
		return;
	if (h->code)
		plugin.compiler->free(h->code);
	free((void *)h->copy.ops);
	free((void *)h->copy.targets);
	free((void *)h->copy.constants);
	free(h);
}

static bool is_jump(const struct op *o)
{
	return o->id == OP_bra || o->id == OP_bra_back || o->id == OP_bra_if ||
	       o->id == OP_bra_unless;
}

static void mark_targets(const struct ptx_program *p, uint8_t *targets)
{
	for (uint32_t i = 0; i < p->op_count; i++) {
		const struct op *o = &p->ops[i];
		const uint32_t *list = (const uint32_t *)(uintptr_t)o->imm;

		if (is_jump(o))
			targets[o->target - p->ops] = 1;
		for (uint32_t k = 0; o->id == OP_brx && k < o->x[0]; k++)
			targets[list[k]] = 1;
	}
}

static void *copy_of(const void *from, size_t count, size_t size)
{
	void *to = calloc(count + 1, size);

	if (to && count)
		memcpy(to, from, count * size);
	return to;
}

static struct hot *hot_new(struct ptx_program *p)
{
	struct hot *h = calloc(1, sizeof(*h));
	uint8_t *targets = calloc(p->op_count + 1, 1);

	if (!h) {
		free(targets);
		return NULL;
	}
	h->program = p;
	h->copy = (struct hot_program){
		.ops = copy_of(p->ops, p->op_count, sizeof(*p->ops)),
		.place = p->ops,
		.targets = targets,
		.op_count = p->op_count,
		.constants = copy_of(p->constants, p->constant_count, sizeof(*p->constants)),
		.constant_count = p->constant_count,
		.handlers = core_handlers(),
		.part = warp_part,
		.partner = warp_partner,
		.core = core_name(),
	};
	if (!targets || !h->copy.ops || !h->copy.constants) {
		hot_free(h);
		return NULL;
	}
	mark_targets(p, targets);
	return h;
}

static bool publish(void *data, uint32_t op, op_handler *full, op_handler *masked)
{
	struct hot *h = data;
	bool wanted;

	pthread_mutex_lock(&hot.lock);
	wanted = h->program;
	if (wanted && full && masked) {
		/* Warps of other threads find the one or the other, and do the same with both. */
		__atomic_store_n(&h->program->ops[op].full, full, __ATOMIC_RELEASE);
		__atomic_store_n(&h->program->ops[op].masked, masked, __ATOMIC_RELEASE);
		h->blocks++;
	}
	pthread_mutex_unlock(&hot.lock);
	return wanted;
}

static void compile(struct hot *h)
{
	pthread_once(&plugin.once, load_plugin);
	if (plugin.compiler)
		h->code = plugin.compiler->compile(&h->copy, publish, h);
}

static void *work(void *unused)
{
	(void)unused;
	pthread_setname_np(pthread_self(), MACHINE_THREAD_NAME "compiler");
	pthread_mutex_lock(&hot.lock);
	for (;;) {
		struct hot *h = hot.list;
		bool gone;

		if (!h) {
			pthread_cond_wait(&hot.wake, &hot.lock);
			continue;
		}
		hot.list = h->next;
		gone = !h->program;
		pthread_mutex_unlock(&hot.lock);
		if (gone)
			hot_free(h);
		else
			compile(h);
		pthread_mutex_lock(&hot.lock);
		if (gone)
			continue;
		h->listed = !h->program;
		if (h->listed) {
			h->next = hot.list;
			hot.list = h;
		}
	}
	return NULL;
}

/* With the lock held. */
static bool make_thread(void)
{
	sigset_t all, old;
	pthread_t t;
	bool made;

	if (hot.owner)
		return hot.owner == getpid();
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	made = !pthread_create(&t, NULL, work, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!made)
		return false;
	pthread_detach(t);
	hot.owner = getpid();
	return true;
}

/* In the child of a fork the thread is gone, and the lock may be held for ever. */
static bool in_child(void)
{
	pid_t owner = __atomic_load_n(&hot.owner, __ATOMIC_RELAXED);

	return owner && owner != getpid();
}

/* With the lock held. */
static void put_on_list(struct hot *h)
{
	struct hot **tail = &hot.list;

	while (*tail)
		tail = &(*tail)->next;
	*tail = h;
	h->next = NULL;
	h->listed = true;
	pthread_cond_signal(&hot.wake);
}

static void add_heat(struct ptx_program *p, uint64_t steps)
{
	uint64_t before = atomic_fetch_add_explicit(&p->heat, steps, memory_order_relaxed);
	struct hot *h;

	if (before >= HOT_STEPS || before + steps < HOT_STEPS || in_child())
		return;
	h = hot_new(p);
	if (!h)
		return;
	pthread_mutex_lock(&hot.lock);
	if (!p->hot && make_thread()) {
		p->hot = h;
		put_on_list(h);
		h = NULL;
	}
	pthread_mutex_unlock(&hot.lock);
	hot_free(h);
}

void hot_count(struct machine_worker *k)
{
	uint64_t steps = k->instructions - k->counted;

	k->counted = k->instructions;
	add_heat(k->launch->program, steps);
	for (uint32_t i = 0; i < k->other_count; i++)
		add_heat(k->others[i].program, steps);
}

int hot_compile(struct ptx_program *p, struct error *err)
{
	struct hot *h = hot_new(p);

	if (!h)
		return error_set(err, ERROR_MEMORY, "out of memory for a copy of device code");
	p->hot = h;
	compile(h);
	if (!plugin.compiler)
		return error_set(err, ERROR_NOT_FOUND, "device code is not compiled: %s",
				 plugin.problem);
	return h->blocks;
}

void hot_forget(struct ptx_program *p)
{
	struct hot *h = p->hot;

	if (!h || in_child())
		return;
	pthread_mutex_lock(&hot.lock);
	h->program = NULL;
	if (!h->listed && hot.owner) {
		put_on_list(h);
		h = NULL;
	} else if (h->listed) {
		h = NULL;
	}
	pthread_mutex_unlock(&hot.lock);
	hot_free(h);
}
