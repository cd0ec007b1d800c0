/* SPDX-License-Identifier: Apache-2.0 */
/*
 * malloc and family for the whole process, in place of libc's: new blocks come from the arena only
 * while cell code runs on this thread (runtime/process/cell-mode.h), and not for CUDA's libraries
 * (library-heap.h); a block goes back to where its address says that it came from.
 *
 * A block of libc's heap that a cell reallocates stays in libc's heap: it belongs to the library
 * that made it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/arena/allocator-state.h"
#include "runtime/arena/allocator.h"
#include "runtime/memcheck/memcheck.h"
#include "runtime/process/cell-mode.h"
#include "runtime/process/library-heap.h"
#include "runtime/process/threads.h"

#define EXPORT __attribute__((visibility("default")))

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t size);
extern void *__libc_memalign(size_t align, size_t size);
extern void __libc_free(void *p);

/* libc's, to the end: a thread that is stopped in it would hold its locks. */
static void enter_libc(void)
{
	if (threads_can_be_stopped())
		threads_hold();
}

static void leave_libc(void)
{
	if (threads_can_be_stopped())
		threads_release();
}

#define UNSTOPPED(call)                                                                            \
	({                                                                                         \
		enter_libc();                                                                      \
		__typeof__(call) result_ = (call);                                                 \
		leave_libc();                                                                      \
		result_;                                                                           \
	})

static void libc_free(void *p)
{
	enter_libc();
	__libc_free(p);
	leave_libc();
}

static bool ours(const void *p)
{
	return address_in_arena((uint64_t)(uintptr_t)p);
}

static void *or_enomem(void *p)
{
	if (!p)
		errno = ENOMEM;
	return p;
}

/* In each exported function, for the report about a block. */
static inline __attribute__((always_inline)) void note_caller(void)
{
	cell_mode.caller = __builtin_return_address(0);
}

/* Of the call that note_caller() has noted. */
static bool from_arena(void)
{
	return cell_mode_active() && !library_heap_has(cell_mode.caller);
}

static void *allocate(size_t size, size_t align)
{
	void *p;

	if (!from_arena())
		return UNSTOPPED(align > 16 ? __libc_memalign(align, size) : __libc_malloc(size));
	p = or_enomem(allocator_alloc(size, align));
	if (memcheck_on)
		memcheck_allocated(p, size);
	return p;
}

static void free_ours(void *p)
{
	size_t size = memcheck_on ? allocator_usable_size(p) : 0;

	allocator_free(p);
	if (memcheck_on)
		memcheck_freed(p, size);
}

static void release(void *p)
{
	int saved = errno;

	if (ours(p))
		free_ours(p);
	else
		libc_free(p);
	errno = saved;
}

/* A checked cell must not use the old address any more. */
static void *move(void *p, size_t size)
{
	size_t old = allocator_usable_size(p);
	void *q = allocate(size, 16);

	if (!q)
		return NULL;
	memcpy(q, p, old < size ? old : size);
	release(p);
	return q;
}

static void *resize(void *p, size_t size)
{
	if (!p)
		return allocate(size, 16);
	if (!ours(p))
		return UNSTOPPED(__libc_realloc(p, size));
	if (!size) {
		release(p);
		return NULL;
	}
	return memcheck_on ? move(p, size) : or_enomem(allocator_realloc(p, size));
}

EXPORT void *malloc(size_t size)
{
	note_caller();
	return allocate(size, 16);
}

EXPORT void free(void *p)
{
	note_caller();
	release(p);
}

EXPORT void *calloc(size_t n, size_t size)
{
	size_t bytes;
	void *p;

	note_caller();
	if (!from_arena())
		return UNSTOPPED(__libc_calloc(n, size));
	if (__builtin_mul_overflow(n, size, &bytes))
		return or_enomem(NULL);
	p = or_enomem(allocator_zalloc(bytes));
	if (memcheck_on)
		memcheck_allocated(p, bytes);
	return p;
}

EXPORT void *realloc(void *p, size_t size)
{
	note_caller();
	return resize(p, size);
}

EXPORT void *reallocarray(void *p, size_t n, size_t size)
{
	size_t bytes;

	note_caller();
	if (__builtin_mul_overflow(n, size, &bytes))
		return or_enomem(NULL);
	return resize(p, bytes);
}

static void *allocate_aligned(size_t align, size_t size)
{
	if (cell_mode_active() && align & (align - 1)) {
		errno = EINVAL;
		return NULL;
	}
	return allocate(size, align);
}

EXPORT void *memalign(size_t align, size_t size)
{
	note_caller();
	return allocate_aligned(align, size);
}

EXPORT void *aligned_alloc(size_t align, size_t size)
{
	note_caller();
	return allocate_aligned(align, size);
}

EXPORT int posix_memalign(void **ret, size_t align, size_t size)
{
	int saved = errno;
	void *p;

	note_caller();
	if (align % sizeof(void *) || !align || align & (align - 1))
		return EINVAL;
	p = allocate_aligned(align, size);
	errno = saved;
	if (!p)
		return ENOMEM;
	*ret = p;
	return 0;
}

EXPORT void *valloc(size_t size)
{
	note_caller();
	return allocate_aligned(ARENA_PAGE, size);
}

EXPORT void *pvalloc(size_t size)
{
	note_caller();
	return allocate_aligned(ARENA_PAGE, (size + ARENA_PAGE - 1) / ARENA_PAGE * ARENA_PAGE);
}

/* libc has no other name for its own malloc_usable_size; its block header holds the size
 * (malloc/malloc.c, mchunk_size). */
static size_t libc_usable_size(const void *p)
{
	size_t head = ((const size_t *)p)[-1];

	return (head & ~(size_t)7) - (head & 2 ? 2 : 1) * sizeof(size_t);
}

EXPORT size_t malloc_usable_size(void *p)
{
	if (!p)
		return 0;
	return ours(p) ? allocator_usable_size(p) : libc_usable_size(p);
}
