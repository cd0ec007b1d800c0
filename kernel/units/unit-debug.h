/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The debugging information of one unit, read by libdw: which functions and lines a machine
 * instruction belongs to, inlined calls included, and where variables are at that instruction.
 * Addresses are those of libdwfl's layout of the object; callers name an instruction by function
 * and offset, which hold wherever the unit lies.
 */
#ifndef CGPU_KERNEL_UNITS_UNIT_DEBUG_H
#define CGPU_KERNEL_UNITS_UNIT_DEBUG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <elfutils/libdw.h>

struct error;
struct unit_debug;

/* The object is copied. Free with unit_debug_free(). */
struct unit_debug *unit_debug_new(const void *object, size_t len, struct error *err);
void unit_debug_free(struct unit_debug *d);

/* One call: a function, or one that was inlined into the next. */
struct unit_place {
	const char *function; /* of the debugging information */
	uint32_t line;        /* of the cell; 0: not in its text */
	const char *file; /* where it is not in the cell's text: a file, or the cell ("In[2]") that
			     it is from; NULL: not known */
	uint32_t file_line;
	bool is_of_system; /* the file is one of the C++ library, of the compiler, of CUDA */
	bool inlined;
	Dwarf_Die scope; /* its entry */
};

/* Innermost first; how many were stored. cell_name: the file that counts ("In[3]"). */
unsigned unit_debug_places(struct unit_debug *d, const char *function, uint32_t offset,
			   const char *cell_name, struct unit_place *ret, unsigned max);

/* Address in libdwfl's layout; 0 when the unit has no such function. */
uint64_t unit_debug_address(struct unit_debug *d, const char *function, uint32_t offset);
/* The variable or parameter that a name means at this address in the call that is number `place` of
 * unit_debug_places(): block by block outwards, in the end of the whole unit (*ret_global). */
bool unit_debug_variable(struct unit_debug *d, uint64_t address, unsigned place, const char *name,
			 Dwarf_Die *ret, bool *ret_global);
/* The section of the object that an address of the layout is in, and where there; false when it is
 * in none. */
bool unit_debug_section(struct unit_debug *d, uint64_t address, uint32_t *ret_index,
			uint64_t *ret_offset);
/* A variable of the whole unit. */
bool unit_debug_global(struct unit_debug *d, const char *name, Dwarf_Die *ret);

#endif
