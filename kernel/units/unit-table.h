/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's table of committed units: their symbols with addresses, the text of their cells,
 * and, compressed, their objects with debugging information and their device code. Fault reports
 * and the list of variables come from here.
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

/* A variable or function of the session, for lists of them. */
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
	/* Without lines and declarations, and with its object and PTX compressed; borrows from
	 * `encoded`. */
	struct unit unit;
	char *encoded;
	size_t encoded_len;
	char *text;                   /* of the cell; NULL when it is not known */
	struct placed_symbol *placed; /* one for each of unit.symbols */
	size_t next_placed;           /* of them, where the next one probably is */
	struct buffer sections;       /* struct placed_section each: the sections with variables and
					 constants */
	struct buffer ended;          /* names that ended with this cell, each with its NUL */
	uint64_t serial;              /* grows from record to record */
	uint32_t replaces; /* the cell whose machine code this unit has replaced; 0: none */
	bool has_code;     /* there may be addresses in its code */
};

struct unit_table {
	struct unit_record *records; /* in the order of running */
	size_t n, cap;
	uint64_t next_serial;
	size_t tidy_at; /* number of records at which unit_table_tidy() looks for unused ones */
	/* The last records belong to the running cell: its own is last, before it are units that
	 * are loaded with it. */
	size_t n_running;
	struct unit_variable *variables; /* made on demand */
	size_t n_variables;
	bool stale;
};

void unit_table_init(struct unit_table *t);
void unit_table_release(struct unit_table *t);

/* Adds a record for a cell that starts, or for a unit that is loaded with it.
 * The unit is copied; text may be NULL. */
int unit_table_begin(struct unit_table *t, const struct unit *u, const char *text,
		     struct error *err);
/* Records where the loader has placed a symbol of the running unit. */
void unit_table_place(struct unit_table *t, const char *name, uint64_t address, uint64_t size);
/* Records where the loader has placed a section of the object. */
void unit_table_place_section(struct unit_table *t, uint32_t index, uint64_t address);
/* Records other facts from the loader about the running unit. */
void unit_table_note_code(struct unit_table *t, uint32_t replaces, bool has_code);
/* Ends these names with the newest cell. */
void unit_table_end_names(struct unit_table *t, const struct buffer *names);
void unit_table_commit(struct unit_table *t);
void unit_table_drop(struct unit_table *t);
/* Returns a mark of the committed state, which unit_table_take() goes back to. */
uint64_t unit_table_committed(const struct unit_table *t);
/* Goes back to the mark, and hands over the records that were newer, those of the running cell
 * included: *ret is the caller's, NULL for none. On error, memory is out, they are released. */
int unit_table_take(struct unit_table *t, uint64_t mark, struct unit_record **ret, size_t *ret_n);
/* Makes room for n more records. */
int unit_table_reserve(struct unit_table *t, size_t n, struct error *err);
/* Takes records that unit_table_take() has handed over back, as committed ones; there is room. */
void unit_table_put(struct unit_table *t, const struct unit_record *records, size_t n);
/* Releases records that were handed over. NULL is accepted. */
void unit_records_free(struct unit_record *records, size_t n);
/*
 * Drops, from time to time, records that are of no use any more: no address is in their code, and
 * all their names mean something else. `oldest` is the mark of the oldest state that can be
 * returned to (unit-table-tidy.c).
 */
void unit_table_tidy(struct unit_table *t, uint64_t oldest);
/* Removes these records, for unit_table_tidy(). */
void unit_table_remove(struct unit_table *t, const bool *gone);

/* Encode and decode all committed records for a snapshot on disk. decode() fills an empty table,
 * which stays empty on error. */
void unit_table_encode(const struct unit_table *t, struct buffer *out);
int unit_table_decode(struct unit_table *t, const void *data, size_t len, struct error *err);
/* Encodes one record, committed or not, as a table that has no other. */
void unit_record_encode(const struct unit_record *r, struct buffer *out);

/* Returns the newest unit of that cell; NULL when there is none. */
const struct unit_record *unit_table_find(const struct unit_table *t, uint32_t cell);
/* Returns the unit with this serial; NULL when there is none. */
const struct unit_record *unit_table_with_serial(const struct unit_table *t, uint64_t serial);
/* Returns the newest unit, the running one included, that defines this name; NULL when there is
 * none. */
const struct unit_record *unit_table_definer(const struct unit_table *t, const char *name);
/* Returns the text of the cell "In[3]" at its last run; NULL: it is not known. */
const char *unit_table_text(const struct unit_table *t, const char *cell_name);
/* Returns the address of the name's newest definition; 0 when it is not known. */
uint64_t unit_table_address(const struct unit_table *t, const char *name);

/* Returns the address of a section of the unit's object; 0 when it is not known. */
uint64_t unit_record_section(const struct unit_record *r, uint32_t index);
/* Unpacks the unit's object or PTX into ret; ret is empty when there is none or it cannot be
 * unpacked. */
void unit_record_unpack(const void *packed, size_t len, struct buffer *ret);
/* Copies line `line` (from 1) of the text without its newline; false when there is none. */
bool unit_record_source(const struct unit_record *r, uint32_t line, char *buf, size_t size);

/* Lists the symbols of committed units, a redefined name once. The list is valid until the next
 * call that changes the table. */
size_t unit_table_variables(struct unit_table *t, const struct unit_variable **ret);

#endif
