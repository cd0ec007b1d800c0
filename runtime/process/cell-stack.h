/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stack that cells run on: large, with an unmapped guard so big that no ordinary frame jumps
 * over it. It is made once in the worker; what a cell left on it means nothing to the next.
 */
#ifndef CGPU_RUNTIME_PROCESS_CELL_STACK_H
#define CGPU_RUNTIME_PROCESS_CELL_STACK_H

#include <stdbool.h>
#include <stdint.h>

struct error;

int cell_stack_init(struct error *err);
/* Call fn(data) on the cell stack. */
void cell_stack_call(void (*fn)(void *data), void *data);

/* A stack of a thread that cell code started; it is looked at until forgotten. */
void cell_stack_add_thread(uint64_t guard, uint64_t low, uint64_t high);
void cell_stack_remove_thread(uint64_t low);

bool cell_stack_contains(uint64_t address);
/* The stack of a thread that a cell has started lies in [start, end). */
bool cell_stack_has_thread(uint64_t start, uint64_t end);
/* The end of the stack that holds the address; 0: none does. */
uint64_t cell_stack_top(uint64_t address);
/* In a guard, or just below one as a big frame can reach it. */
bool cell_stack_in_guard(uint64_t address);

#endif
