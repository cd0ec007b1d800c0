/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Power-of-two blocks with a header that tells the power. Blocks are cut from the top of META and
 * kept in one free list a power; they never merge, since the tables here grow by doubling.
 */
#include "runtime/arena/meta.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "runtime/arena/arena.h"

#define POWER_MIN 5 /* 32 bytes, header included */
#define POWER_MAX 32
#define CHUNK (64 * 1024)

struct block {
	uint64_t power;
	struct block *next; /* while free; user bytes start 16 bytes in */
};

struct meta {
	struct block *free[POWER_MAX + 1];
	char *at; /* the rest of the chunk being cut */
	char *end;
};

/* The state stands in the header page, behind the header itself. */
#define META ((struct meta *)(ARENA_BASE + 1024))
_Static_assert(sizeof(struct arena_header) <= 1024, "the header overlaps the state of META");
_Static_assert(1024 + sizeof(struct meta) <= ARENA_HEADER_SIZE,
	       "the state of META leaves the header page");

static void no_gate(void)
{
}

/* The variables of this process, which are no part of the session. */
static struct {
	pthread_mutex_t lock;
	_Atomic unsigned nowhere; /* counts until the worker says where */
	_Atomic unsigned *busy;
	void (*gate_enter)(void);
	void (*gate_leave)(void);
} here = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.busy = &here.nowhere,
	.gate_enter = no_gate,
	.gate_leave = no_gate,
};

void meta_set_busy(_Atomic unsigned *counter)
{
	here.busy = counter ? counter : &here.nowhere;
}

void meta_set_gate(void (*enter)(void), void (*leave)(void))
{
	here.gate_enter = enter;
	here.gate_leave = leave;
}

bool meta_is_busy(void)
{
	return atomic_load(here.busy) != 0;
}

void meta_enter(void)
{
	here.gate_enter();
	atomic_fetch_add_explicit(here.busy, 1, memory_order_acquire);
}

void meta_leave(void)
{
	atomic_fetch_sub_explicit(here.busy, 1, memory_order_release);
	here.gate_leave();
}

static struct block *cut(unsigned power)
{
	size_t size = (size_t)1 << power;
	struct meta *m = META;
	struct block *b;

	if ((size_t)(m->end - m->at) < size) {
		size_t chunk = size > CHUNK ? size : CHUNK;
		char *p = arena_grow(ARENA_META, chunk);

		if (!p)
			return NULL;
		if (p != m->end)
			m->at = p;
		m->end = p + chunk;
	}
	b = (struct block *)m->at;
	m->at += size;
	b->power = power;
	return b;
}

static unsigned power_of(size_t size)
{
	unsigned power = POWER_MIN;

	while (power <= POWER_MAX && ((size_t)1 << power) < size + 16)
		power++;
	return power;
}

void *meta_alloc(size_t size)
{
	unsigned power = power_of(size);
	struct block *b;

	if (power > POWER_MAX)
		return NULL;
	meta_enter();
	pthread_mutex_lock(&here.lock);
	b = META->free[power];
	if (b) {
		META->free[power] = b->next;
		memset((char *)b + 8, 0, ((size_t)1 << power) - 8);
	} else {
		b = cut(power);
	}
	pthread_mutex_unlock(&here.lock);
	meta_leave();
	return b ? (char *)b + 16 : NULL;
}

void meta_free(void *p)
{
	struct block *b = p ? (struct block *)((char *)p - 16) : NULL;

	if (!b)
		return;
	meta_enter();
	pthread_mutex_lock(&here.lock);
	b->next = META->free[b->power];
	META->free[b->power] = b;
	pthread_mutex_unlock(&here.lock);
	meta_leave();
}

char *meta_strdup(const char *text)
{
	size_t len = strlen(text) + 1;
	char *copy = meta_alloc(len);

	if (copy)
		memcpy(copy, text, len);
	return copy;
}
