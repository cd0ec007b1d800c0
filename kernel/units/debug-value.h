/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of a stopped worker's variables: where libdw says that a variable is, read from the
 * registers of its frame and the memory of the process, and what C makes of it: members, elements,
 * what a pointer points to. Everything may be unknown; nothing read is believed to be sound.
 */
#ifndef CGPU_KERNEL_UNITS_DEBUG_VALUE_H
#define CGPU_KERNEL_UNITS_DEBUG_VALUE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <elfutils/libdw.h>

struct buffer;

/* A call of a stopped process. */
struct debug_frame {
	pid_t pid;
	uint64_t address;          /* in the unit's layout, as unit_debug_address() says */
	const uint64_t *registers; /* by DWARF number */
	uint64_t known;            /* bit i: registers[i] is what it was in this call */
	Dwarf_Die function;        /* the subprogram that holds the call, for its frame base */
	/* Where a variable at this address of the unit's layout lies in the process; 0: not known.
	 * NULL: never known */
	uint64_t (*place)(void *data, uint64_t address);
	void *place_data;
};

struct debug_value {
	Dwarf_Die type; /* without typedefs and qualifiers */
	bool has_address;
	uint64_t address;
	bool has_bits; /* a scalar's */
	uint64_t bits;
	uint64_t size;
};

/* place: address of a variable of the whole unit, 0: not known. False when the value cannot be had
 * here. */
bool debug_value_of(const struct debug_frame *f, Dwarf_Die *variable, uint64_t place,
		    struct debug_value *ret);

bool debug_value_is_pointer(const struct debug_value *v);
bool debug_value_is_integer(const struct debug_value *v);
int64_t debug_value_integer(const struct debug_value *v);
/* What it points to or consists of; the result has an address, its bits when they can be read. */
bool debug_value_element(const struct debug_frame *f, const struct debug_value *v, int64_t index,
			 struct debug_value *ret);
bool debug_value_member(const struct debug_frame *f, const struct debug_value *v, const char *name,
			struct debug_value *ret);

/* Number of an array's elements; 0: not known. */
uint64_t debug_value_count(const struct debug_value *v);
/* "struct node"; "" for what has no name. */
void debug_value_type_name(const struct debug_value *v, struct buffer *out);
/* "0x0", "42", "RED (2)", "'a' (97)". False and nothing for what is no scalar. */
bool debug_value_format(const struct debug_frame *f, const struct debug_value *v,
			struct buffer *out);

#endif
