/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads values of a stopped worker's variables: libdw gives the location of a variable, which is
 * read from the registers of its frame and the memory of the process, and the C type gives members,
 * elements and targets of pointers. Everything may be unknown, and all that is read is validated.
 */
#ifndef CGPU_KERNEL_PRESENTER_DEBUG_VALUE_H
#define CGPU_KERNEL_PRESENTER_DEBUG_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include <elfutils/libdw.h>

#include "common/code/bound-expression.h"

struct buffer;
struct session_view;

/* A frame of a worker that stands at its fault. */
struct debug_frame {
	struct session_view *view;
	uint64_t address;          /* in the unit's layout, as unit_debug_address() says */
	const uint64_t *registers; /* by DWARF number */
	uint64_t known;            /* bit i: registers[i] has the value of this frame */
	Dwarf_Die function;        /* the subprogram that holds the call, for its frame base */
	/* Returns the address in the process of a variable at this address of the unit's layout; 0:
	 * not known. NULL: never known. */
	uint64_t (*place)(void *data, uint64_t address);
	void *place_data;
};

struct debug_value {
	Dwarf_Die type;         /* without typedefs and qualifiers */
	enum bound_place place; /* of the address, in other calls of the function */
	bool has_address;
	uint64_t address;
	bool has_bits; /* a scalar whose value is in `bits` */
	uint64_t bits;
	uint64_t size;
};

/* Reads a variable. place: address of a variable of the whole unit, 0: not known. False when the
 * value is not available. */
bool debug_value_of(const struct debug_frame *f, Dwarf_Die *variable, uint64_t place,
		    struct debug_value *ret);

bool debug_value_is_pointer(const struct debug_value *v);
bool debug_value_is_integer(const struct debug_value *v);
int64_t debug_value_integer(const struct debug_value *v);
/* Return an element of the target of a pointer or of an array, or a member of a struct; the result
 * has an address, and its bits when they can be read. */
bool debug_value_element(const struct debug_frame *f, const struct debug_value *v, int64_t index,
			 struct debug_value *ret);
bool debug_value_member(const struct debug_frame *f, const struct debug_value *v, const char *name,
			struct debug_value *ret);
bool debug_value_is_reference(const struct debug_value *v);

/* Returns the offset of a member in its record in bytes. For a bit-field the debugging information
 * may give it in bits only: 0. */
uint64_t debug_value_member_offset(Dwarf_Die *member);
/* Returns the number of an array's elements; 0: not known. */
uint64_t debug_value_count(const struct debug_value *v);
/* Appends the name of the type, as "struct node"; "" for a type without a name. */
void debug_value_type_name(const struct debug_value *v, struct buffer *out);
/* Formats a scalar: "0x0", "42", "RED (2)", "'a' (97)". False, and nothing is appended, for other
 * values. */
bool debug_value_format(const struct debug_frame *f, const struct debug_value *v,
			struct buffer *out);

#endif
