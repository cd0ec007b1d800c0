/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thread-local variables of units. Each is reached through a control, as compilers lay it out for
 * -femulated-tls; the loader makes controls for what they do not: native thread-local sections of a
 * unit (one block, and a part of it for each variable) and variables of libraries. So units of both
 * models reach each other's.
 *
 * Variables of the cell's own thread lie in session memory and keep their value from cell to cell;
 * those of other threads end with the thread.
 */
#ifndef CGPU_RUNTIME_EXPORTS_THREAD_LOCAL_H
#define CGPU_RUNTIME_EXPORTS_THREAD_LOCAL_H

#include <stddef.h>
#include <stdint.h>

enum thread_local_kind {
	THREAD_LOCAL_LIBRARY = 1, /* initial: its name */
	THREAD_LOCAL_PART, /* object.address: the control of the block, initial: the offset in it */
};

/* As compiler-rt's and libgcc's emutls lay it out. Size 0, which no variable has: align is an enum
 * thread_local_kind. */
struct thread_local_control {
	size_t size;
	size_t align;
	union {
		uintptr_t index;
		void *address; /* of the cell thread's variable */
	} object;
	const void *initial; /* NULL: zero */
};

/* What __tls_get_addr() is given by a unit's code: x86-64 psABI, Thread-Local Storage. */
struct thread_local_index {
	struct thread_local_control *control;
	uint64_t offset;
};

/* What a unit's code for aarch64 has instead: ELF for the Arm 64-bit Architecture, TLS descriptors.
 * It calls the entry with the descriptor's address in x0. */
struct thread_local_descriptor {
	uint64_t entry;
	struct thread_local_index *index;
};

/* __emutls_get_address() of units. */
void *thread_local_address(struct thread_local_control *c);
/* __tls_get_addr() of units. */
void *thread_local_index_address(const struct thread_local_index *i);
#if defined(__aarch64__)
/*
 * Where the entry of all descriptors leads, with x16 and x17 pushed: returns the distance from the
 * thread pointer to the variable in x0, pops them, and leaves all other registers as they are, but
 * for the flags and x30.
 */
void thread_local_resolve(void);
#endif
/* Under this name the loader asks for it. */
#define THREAD_LOCAL_RESOLVE "__cgpu_thread_local_resolve"
/* __cxa_thread_atexit() of units: call this when the thread ends. The cell's own thread does not
 * end. */
int thread_local_at_exit(void (*fn)(void *object), void *object, void *dso);
/* The thread that calls is none of the cell's own; and it ends: destructors run, variables go. In
 * cell mode. */
void thread_local_begin(void);
void thread_local_end(void);

#endif
