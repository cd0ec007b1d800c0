/* SPDX-License-Identifier: Apache-2.0 */
/*
 * %%memcheck in the worker: a cell whose code calls us before each access to memory (the compiler's
 * AddressSanitizer pass, compiler/clang/clang-shim.cc), its heap with red zones and without reuse,
 * calls of libc with checked ranges. What is found stands in worker_control.findings, and the cell
 * goes on. The worker is thrown away afterwards.
 */
#ifndef CGPU_RUNTIME_MEMCHECK_MEMCHECK_H
#define CGPU_RUNTIME_MEMCHECK_MEMCHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;

/* A cell is being checked; never ends in this process. */
extern bool memcheck_on;

/* Before the units of the cell are loaded: map the shadow, let the heap keep what is freed. */
int memcheck_prepare(struct error *err);
/* When they are loaded, and libc's functions taken over (memcheck-libc.h): mark what the session
 * has. From here on accesses are checked. */
void memcheck_begin(void);

/* malloc() and free() of a cell. */
void memcheck_allocated(const void *p, size_t size);
void memcheck_freed(const void *p, size_t size);

/* A range that libc is about to read or write for the cell. */
void memcheck_range(const void *p, size_t size, bool is_write);
/* Ranges of a copy that must not overlap. */
void memcheck_disjoint(const void *to, const void *from, size_t size);
/* The byte at `bad` was touched by an access of `size` bytes. caller: return address in the cell;
 * NULL: another one, of a function of libc. */
void memcheck_found(uint64_t bad, size_t size, bool is_write, const void *caller);

#endif
