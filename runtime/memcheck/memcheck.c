/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One finding a place in the code; after FINDINGS_MAX only their number is counted. Whom the
 * address belongs to is asked of the same tables as for a fault; of the stack the compiler has left
 * a description in the frame.
 */
#include "runtime/memcheck/memcheck.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"
#include "common/protocol/worker-protocol.h"
#include "runtime/arena/allocator.h"
#include "runtime/faults/backtrace.h"
#include "runtime/faults/host-fault.h"
#include "runtime/loader/symbols.h"
#include "runtime/memcheck/shadow.h"
#include "runtime/process/cell-mode.h"
#include "runtime/process/cell-stack.h"
#include "runtime/process/worker.h"

#define RED_ZONE 32
#define QUARANTINE (256 * MIB)
#define FRAME_MAGIC 0x41b58ab3u
#define FRAME_SEARCH (1 * MIB)
#define LOOKED_AT 1000         /* findings; a loop may make millions */
#define FREE_MARKED (64 * MIB) /* of a free run, from its start */

bool memcheck_on;
static struct {
	bool begun;
	pthread_mutex_t lock; /* of the findings */
} checks = { .lock = PTHREAD_MUTEX_INITIALIZER };

int memcheck_prepare(struct error *err)
{
	if (shadow_map(err))
		return -1;
	memset(&worker.control->findings, 0, sizeof(worker.control->findings));
	allocator_keep_freed(RED_ZONE, QUARANTINE);
	memcheck_on = true;
	return 0;
}

static void mark_block(uint64_t base, uint64_t size, uint64_t room, enum allocator_block block)
{
	switch (block) {
	case ALLOCATOR_LIVE:
		shadow_poison(base + size, room - size, SHADOW_HEAP);
		return;
	case ALLOCATOR_FREED:
		shadow_poison(base, room < FREE_MARKED ? room : FREE_MARKED, SHADOW_FREED);
		return;
	case ALLOCATOR_NEVER:
		shadow_poison(base, room < FREE_MARKED ? room : FREE_MARKED, SHADOW_HEAP);
	}
}

static void mark_guard(uint64_t at, uint64_t size)
{
	shadow_poison(at, size, SHADOW_GLOBAL);
}

void memcheck_begin(void)
{
	allocator_each(mark_block);
	symbols_each_guard(mark_guard);
	checks.begun = true;
}

void memcheck_allocated(const void *p, size_t size)
{
	uint64_t at = (uint64_t)(uintptr_t)p;

	if (!p)
		return;
	shadow_allow(at, size);
	shadow_poison(at + size, allocator_room(p) - size, SHADOW_HEAP);
}

void memcheck_freed(const void *p, size_t size)
{
	shadow_poison((uint64_t)(uintptr_t)p, size ? size : 1, SHADOW_FREED);
}

void memcheck_range(const void *p, size_t size, bool is_write)
{
	uint64_t bad = checks.begun && cell_mode_active()
			       ? shadow_first_bad((uint64_t)(uintptr_t)p, size)
			       : 0;

	/* Only the stack tells where in the cell that is. */
	if (bad)
		memcheck_found(bad, size, is_write, NULL);
}

/* ---- findings ---- */

/* In front of a partly allowed granule stands an object; what is wrong tells the byte behind. */
static uint8_t reason(uint64_t bad)
{
	uint8_t value = *shadow_of(bad);

	return value > 7 ? value : *shadow_of((bad | 7) + 1);
}

static const char *kind_of(uint8_t value)
{
	switch (value) {
	case SHADOW_STACK_LEFT:
		return "stack-buffer-underflow";
	case SHADOW_STACK_MIDDLE:
	case SHADOW_STACK_RIGHT:
		return "stack-buffer-overflow";
	case SHADOW_STACK_SCOPE:
		return "stack-use-after-scope";
	case SHADOW_ALLOCA_LEFT:
	case SHADOW_ALLOCA_RIGHT:
		return "dynamic-stack-buffer-overflow";
	case SHADOW_GLOBAL:
		return "global-buffer-overflow";
	case SHADOW_FREED:
		return "heap-use-after-free";
	default:
		return "heap-buffer-overflow";
	}
}

struct local {
	uint64_t start, size;
	char name[64];
};

/* "2 32 8 1 x 64 40 3 buf": count, then offset, size, length of the name, name. */
static bool nearest_local(const char *text, uint64_t offset, struct local *ret)
{
	unsigned long n = strtoul(text, (char **)&text, 10), best = ULONG_MAX;

	for (; n--;) {
		unsigned long start = strtoul(text, (char **)&text, 10),
			      size = strtoul(text, (char **)&text, 10);
		unsigned long len = strtoul(text, (char **)&text, 10), away;

		away = offset < start          ? start - offset
		       : offset < start + size ? 0
					       : offset - start - size;
		if (away < best) {
			best = away;
			*ret = (struct local){ .start = start, .size = size };
			snprintf(ret->name, sizeof(ret->name), "%.*s", (int)len, text + 1);
			ret->name[strcspn(ret->name, ":")] = '\0'; /* its line */
		}
		text += len + 1;
	}
	return best != ULONG_MAX;
}

/* The frame starts with a red zone that holds { magic, description, function }. */
static bool find_local(uint64_t bad, struct local *ret)
{
	uint64_t at = bad & ~31ull, low = bad - FRAME_SEARCH;

	for (; at > low && cell_stack_contains(at); at -= 32) {
		const uint64_t *frame = (const uint64_t *)at;

		if (*shadow_of(at) != SHADOW_STACK_LEFT || frame[0] != FRAME_MAGIC)
			continue;
		if (!nearest_local((const char *)frame[1], bad - at, ret))
			return false;
		ret->start += at;
		return true;
	}
	return false;
}

static void describe_local(uint64_t bad, struct address_description *ret)
{
	struct local l;

	if (!find_local(bad, &l))
		return;
	ret->owner = OWNER_VARIABLE;
	ret->base = l.start;
	ret->size = l.size;
	snprintf(ret->name, sizeof(ret->name), "%s", l.name);
}

static void fill(struct fault_record *f, const char *kind, uint64_t bad, size_t size, bool is_write)
{
	f->address = bad;
	f->access_size = size;
	f->access_write = is_write;
	snprintf(f->ename, sizeof(f->ename), "%s", kind);
	host_fault_describe(bad, &f->what);
	if (f->what.owner == OWNER_STACK)
		describe_local(bad, &f->what);
	backtrace_record(0, NULL, f);
	f->signal = 0;
}

static bool is_known(const struct memcheck_findings *all, uint64_t pc)
{
	for (uint32_t i = 0; i < all->n; i++) {
		if (all->pcs[i] == pc)
			return true;
	}
	return false;
}

/* The access happened where an earlier one did that is told already. */
static bool same_place(const struct memcheck_findings *all, const struct fault_record *f)
{
	for (uint32_t i = 0; i < all->n; i++) {
		if (all->at[i].frames[0].pc == f->frames[0].pc &&
		    all->at[i].access_write == f->access_write)
			return true;
	}
	return false;
}

static void note(const char *kind, uint64_t bad, size_t size, bool is_write, const void *caller)
{
	struct memcheck_findings *all = &worker.control->findings;
	uint64_t pc = (uint64_t)(uintptr_t)caller;

	cell_mode_enter_library();
	pthread_mutex_lock(&checks.lock);
	all->total++;
	if (all->n < MEMCHECK_FINDINGS_MAX && all->total < LOOKED_AT &&
	    !(pc && is_known(all, pc))) {
		fill(&all->at[all->n], kind, bad, size, is_write);
		if (!same_place(all, &all->at[all->n]))
			all->pcs[all->n++] = pc;
	}
	pthread_mutex_unlock(&checks.lock);
	cell_mode_leave_library();
}

void memcheck_found(uint64_t bad, size_t size, bool is_write, const void *caller)
{
	note(kind_of(reason(bad)), bad, size, is_write, caller);
}

/* A structure that is assigned to itself is copied so, too, and comes to no harm. */
void memcheck_disjoint(const void *to, const void *from, size_t size)
{
	uint64_t a = (uint64_t)(uintptr_t)to, b = (uint64_t)(uintptr_t)from;

	if (checks.begun && cell_mode_active() && a != b && (a > b ? a - b : b - a) < size)
		note("overlapping-copy", a, size, true, NULL);
}
