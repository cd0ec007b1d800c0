/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kernel keeps of each committed unit: symbols with their addresses, the text of its cell,
 * and, packed, its object for the debugging information in it and its device code for those who
 * look at that. Fault reports and the list of variables come from here.
 */
#ifndef CGPU_KERNEL_UNITS_UNIT_TABLE_H
#define CGPU_KERNEL_UNITS_UNIT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "common/code/unit.h"

struct buffer;
struct error;
struct unit_debug;

/* A variable or function of the session, as lists of them show it. */
struct unit_variable {
	const char *name;
	const char *type;
	const char *type_code;
	uint64_t address;
	uint64_t size;
	uint32_t cell;
	bool is_function;
};

struct placed_symbol {
	uint64_t address; /* 0: not known */
	uint64_t size;
};

struct placed_section {
	uint32_t index; /* in the object */
	uint64_t address;
};

struct unit_record {
	struct unit unit; /* without lines and declarations, its object and PTX packed; borrows from
			     `encoded` */
	char *encoded;
	size_t encoded_len;
	char *text;                   /* of the cell; NULL when it is not known */
	struct placed_symbol *placed; /* one for each of unit.symbols */
	struct buffer sections; /* struct placed_section each: those with variables and constants */
	struct unit_debug *debug; /* made when asked for */
	bool no_debug;            /* it cannot be made */
	struct buffer ended;      /* names that are no more since this cell, each with its NUL */
	uint64_t serial;          /* grows from record to record */
	uint32_t replaces;        /* cell whose machine code is this one's since, 0: none */
	bool has_code;            /* addresses may be in it */
};

struct unit_table {
	struct unit_record *records; /* in the order of running */
	size_t n, cap;
	uint64_t next_serial;
	size_t tidy_at;   /* records from which on it is worth looking for what nobody needs */
	size_t n_running; /* the last records: of the cell that runs, before it of what is loaded
			     with it */
	struct unit_variable *variables; /* made when asked for */
	size_t n_variables;
	bool stale;
};

void unit_table_init(struct unit_table *t);
void unit_table_release(struct unit_table *t);

/* A cell starts, or a unit that is loaded with it. text may be NULL. */
int unit_table_begin(struct unit_table *t, const void *encoded, size_t len, const char *text,
		     struct error *err);
/* Where the loader has put a symbol of the running unit. */
void unit_table_place(struct unit_table *t, const char *name, uint64_t address, uint64_t size);
/* Where it has put a section of its object. */
void unit_table_place_section(struct unit_table *t, uint32_t index, uint64_t address);
/* What else the loader says of the running unit. */
void unit_table_note_code(struct unit_table *t, uint32_t replaces, bool has_code);
/* The cell that came last is the end of these names. */
void unit_table_end_names(struct unit_table *t, const struct buffer *names);
void unit_table_commit(struct unit_table *t);
void unit_table_drop(struct unit_table *t);
/* What is committed, as a mark, and back to it. */
uint64_t unit_table_committed(const struct unit_table *t);
void unit_table_undo(struct unit_table *t, uint64_t mark);
/*
 * Drops records that nobody can ask for any more, now and then: no address is in their code, and
 * all their names mean something else. `oldest` is the mark of the oldest state that can be
 * returned to (unit-table-tidy.c).
 */
void unit_table_tidy(struct unit_table *t, uint64_t oldest);
/* For it: without these records. */
void unit_table_remove(struct unit_table *t, const bool *gone);

/* All committed records, for a snapshot on disk. decode() fills an empty table; on error it stays
 * empty. */
void unit_table_encode(const struct unit_table *t, struct buffer *out);
int unit_table_decode(struct unit_table *t, const void *data, size_t len, struct error *err);

/* The newest unit of that cell; NULL when there is none. */
const struct unit_record *unit_table_find(const struct unit_table *t, uint32_t cell);
/* The newest unit, the running one included, that defines this name; NULL when there is none. */
const struct unit_record *unit_table_definer(const struct unit_table *t, const char *name);
/* Where the name's newest definition lies; 0 when that is not known. */
uint64_t unit_table_address(const struct unit_table *t, const char *name);

/* Its debugging information; NULL when there is none that can be read. The record's, for its life.
 */
struct unit_debug *unit_record_debug(const struct unit_record *r);
/* Where a section of its object lies; 0 when that is not known. */
uint64_t unit_record_section(const struct unit_record *r, uint32_t index);
/* Its object or PTX as it was, in ret; nothing when there is none or it cannot be unpacked. */
void unit_record_unpack(const void *packed, size_t len, struct buffer *ret);
/* Copies line `line` (from 1) of the text without its newline; false when there is none. */
bool unit_record_source(const struct unit_record *r, uint32_t line, char *buf, size_t size);

/* Symbols of committed units, a redefined name once. Valid until the next call that changes the
 * table. */
size_t unit_table_variables(struct unit_table *t, const struct unit_variable **ret);

#endif
