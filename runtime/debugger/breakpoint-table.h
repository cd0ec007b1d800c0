/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of machine code that are replaced by the breakpoint instruction. A place may be one for
 * several reasons, and has its byte back when the last of them is gone. The table is memory of the
 * process and not of the session. Not thread-safe; safe in signal handlers but for _open().
 */
#ifndef CGPU_RUNTIME_DEBUGGER_BREAKPOINT_TABLE_H
#define CGPU_RUNTIME_DEBUGGER_BREAKPOINT_TABLE_H

#include <stdbool.h>
#include <stdint.h>

struct error;

enum breakpoint_reason {
	BREAKPOINT_OF_USER = 1 << 0,
	BREAKPOINT_AT_LINE = 1 << 1, /* of a function that is stepped through, or a caller of it */
	BREAKPOINT_AT_BODY = 1 << 2, /* a function that may be stepped into */
	BREAKPOINT_AT_RETURN = 1 << 3, /* where a call that is stepped through returns to */
};
#define BREAKPOINT_OF_STEP (BREAKPOINT_AT_LINE | BREAKPOINT_AT_BODY | BREAKPOINT_AT_RETURN)

struct breakpoint {
	uint64_t address;
	uint8_t reasons; /* enum breakpoint_reason; 0: the place is free */
	uint8_t byte;    /* the code's own */
	/* Of BREAKPOINT_OF_USER: the number of its condition, 0: it has none. */
	uint32_t condition;
};

struct breakpoint_table {
	struct breakpoint *at;
	uint32_t n;
};

/* Makes an empty table. Released by breakpoint_table_close(), which gives all bytes back. */
int breakpoint_table_open(struct breakpoint_table *t, struct error *err);
void breakpoint_table_close(struct breakpoint_table *t);

/* Adds a reason. A table that is full has one breakpoint less. */
void breakpoint_table_add(struct breakpoint_table *t, uint64_t address,
			  enum breakpoint_reason reason);
/* Adds that of a user, with its condition. Where there are several, and one has none, it counts; of
 * several conditions none does, since any may be true. */
void breakpoint_table_add_of_user(struct breakpoint_table *t, uint64_t address, uint32_t condition);
/* Takes these reasons away from all. */
void breakpoint_table_drop(struct breakpoint_table *t, unsigned reasons);
/* Returns the breakpoint at an address; NULL: there is none. Until the next _add(). */
const struct breakpoint *breakpoint_table_find(const struct breakpoint_table *t, uint64_t address);
/* Puts the code's own byte in its place for one instruction, and the breakpoint back if it is still
 * one. */
void breakpoint_table_lift(const struct breakpoint *b);
void breakpoint_table_lower(const struct breakpoint *b);
/* Tells whether the byte in memory is a breakpoint instruction, ours or anybody's. */
bool breakpoint_is_at(uint64_t address);

#endif
