/* SPDX-License-Identifier: Apache-2.0 */
/*
 * By what a thread-local variable of a unit is reached: a control, as compilers lay it out for
 * -femulated-tls. The loader makes controls for what they do not: native thread-local sections of a
 * unit (one block, and a part of it for each variable) and variables of libraries. So units of both
 * models reach each other's. The functions that take a control are those of
 * runtime/exports/thread-local.h.
 */
#ifndef CGPU_RUNTIME_LOADER_THREAD_LOCAL_CONTROL_H
#define CGPU_RUNTIME_LOADER_THREAD_LOCAL_CONTROL_H

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

/* A unit's code gives this to __tls_get_addr(): x86-64 psABI, Thread-Local Storage. */
struct thread_local_index {
	struct thread_local_control *control;
	uint64_t offset;
};

/* A unit's code for aarch64 has descriptors instead: ELF for the Arm 64-bit Architecture, TLS
 * descriptors. It calls the entry with the descriptor's address in x0. */
struct thread_local_descriptor {
	uint64_t entry;
	struct thread_local_index *index;
};

/* The name under which the loader asks for what all descriptors lead to. */
#define THREAD_LOCAL_RESOLVE "__cgpu_thread_local_resolve"

#endif
