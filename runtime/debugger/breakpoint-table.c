/* SPDX-License-Identifier: Apache-2.0 */
/* The instruction is int3, one byte, so that a thread that runs there executes the old code or the
 * new one and nothing between. */
#define _GNU_SOURCE
#include "runtime/debugger/breakpoint-table.h"

#include <stddef.h>
#include <sys/mman.h>

#include "common/base/error.h"
#include "runtime/arena/arena.h"
#include "runtime/faults/backtrace.h"

#define PLACES 32768
#define INT3 0xcc

int breakpoint_table_open(struct breakpoint_table *t, struct error *err)
{
	void *p = mmap(NULL, PLACES * sizeof(*t->at), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	*t = (struct breakpoint_table){ 0 };
	if (p == MAP_FAILED)
		return error_errno(err, "no memory for breakpoints");
	t->at = p;
	return 0;
}

void breakpoint_table_close(struct breakpoint_table *t)
{
	breakpoint_table_drop(t, UINT8_MAX);
	if (t->at)
		munmap(t->at, PLACES * sizeof(*t->at));
	*t = (struct breakpoint_table){ 0 };
}

static void write_byte(uint64_t address, uint8_t byte)
{
	arena_write_code(address, &byte, 1, NULL);
}

bool breakpoint_is_at(uint64_t address)
{
	return backtrace_in_unit(address) && *(const volatile uint8_t *)address == INT3;
}

const struct breakpoint *breakpoint_table_find(const struct breakpoint_table *t, uint64_t address)
{
	for (uint32_t i = 0; i < t->n; i++)
		if (t->at[i].address == address && t->at[i].reasons)
			return &t->at[i];
	return NULL;
}

void breakpoint_table_add(struct breakpoint_table *t, uint64_t address,
			  enum breakpoint_reason reason)
{
	struct breakpoint *b;

	if (!t->at || !backtrace_in_unit(address))
		return;
	/* A byte of the cell's own that is one stays the cell's own. */
	if (breakpoint_is_at(address)) {
		b = (struct breakpoint *)breakpoint_table_find(t, address);
		if (b)
			b->reasons |= (uint8_t)reason;
		return;
	}
	if (t->n == PLACES)
		return;
	b = &t->at[t->n++];
	*b = (struct breakpoint){ .address = address,
				  .reasons = (uint8_t)reason,
				  .byte = *(const uint8_t *)address };
	write_byte(address, INT3);
}

void breakpoint_table_add_of_user(struct breakpoint_table *t, uint64_t address, uint32_t condition)
{
	const struct breakpoint *before = breakpoint_table_find(t, address);
	bool is_first = !before || !(before->reasons & BREAKPOINT_OF_USER);
	struct breakpoint *b;

	breakpoint_table_add(t, address, BREAKPOINT_OF_USER);
	b = (struct breakpoint *)breakpoint_table_find(t, address);
	if (b)
		b->condition = is_first || b->condition == condition ? condition : 0;
}

void breakpoint_table_drop(struct breakpoint_table *t, unsigned reasons)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < t->n; i++) {
		struct breakpoint b = t->at[i];
		bool was_one = b.reasons != 0;

		b.reasons &= (uint8_t)~reasons;
		if (b.reasons)
			t->at[kept++] = b;
		else if (was_one)
			write_byte(b.address, b.byte);
	}
	t->n = kept;
}

void breakpoint_table_lift(const struct breakpoint *b)
{
	write_byte(b->address, b->byte);
}

void breakpoint_table_lower(const struct breakpoint *b)
{
	if (b->reasons)
		write_byte(b->address, INT3);
}
