/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Initial values that wait: a cell that defines a variable of the session behind a statement, `f();
 * int v = 7;`, sets it when its statements come there, not when it is loaded. The values of the
 * unit that is being run, in the worker's own memory.
 */
#ifndef CGPU_RUNTIME_LOADER_INITIALS_H
#define CGPU_RUNTIME_LOADER_INITIALS_H

#include <stddef.h>
#include <stdint.h>

struct error;

/* name: the unit's, outlives the list. bytes: malloc-ed, taken over, also on failure; NULL: all
 * zero. -1: ERROR_MEMORY. */
int initials_add(const char *name, uint64_t address, void *bytes, size_t size, struct error *err);
void initials_clear(void);
/* Units call this as cgpu_initialise(): the value of this name takes effect, the first time;
 * nothing if none waits. */
void initials_take_effect(const char *name);

#endif
