/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Debugging information of one unit, read by libdw: the functions and lines of a machine
 * instruction, inlined calls included, and the locations of variables at that instruction.
 * Addresses are those of libdwfl's layout of the object; callers name an instruction by function
 * and offset, which do not depend on the unit's address.
 */
#ifndef CGPU_KERNEL_PRESENTER_UNIT_DEBUG_H
#define CGPU_KERNEL_PRESENTER_UNIT_DEBUG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <elfutils/libdw.h>

struct error;
struct unit_debug;

/* Reads the debugging information. The object is copied. Free with unit_debug_free(). */
struct unit_debug *unit_debug_new(const void *object, size_t len, struct error *err);
void unit_debug_free(struct unit_debug *d);

/* One call: a function, or one that was inlined into the next entry. */
struct unit_place {
	const char *function; /* of the debugging information */
	uint32_t line;        /* of the cell; 0: not in its text */
	/* When it is not in the cell's text: a file, or the cell ("In[2]") that it comes from;
	 * NULL: not known. */
	const char *file;
	uint32_t file_line;
	bool is_of_system; /* the file belongs to the C++ library, the compiler or CUDA */
	bool inlined;
	Dwarf_Die scope; /* its DIE */
};

/* Writes the calls at an instruction, innermost first, and returns how many were stored. cell_name
 * is the file name of the cell ("In[3]"). */
unsigned unit_debug_places(struct unit_debug *d, const char *function, uint32_t offset,
			   const char *cell_name, struct unit_place *ret, unsigned max);

/* Returns the address in libdwfl's layout; 0 when the unit has no such function. */
uint64_t unit_debug_address(struct unit_debug *d, const char *function, uint32_t offset);
/*
 * Finds the variable or parameter that a name means at this address, in the call with number
 * `place` of unit_debug_places(): it searches block by block outwards, and at last the whole unit
 * (*ret_global).
 */
bool unit_debug_variable(struct unit_debug *d, uint64_t address, unsigned place, const char *name,
			 Dwarf_Die *ret, bool *ret_global);
/*
 * Visits the variables and parameters with a name that the call with number `place` of
 * unit_debug_places() has at this address, block by block outwards, as long as fn returns true.
 */
void unit_debug_each_local(struct unit_debug *d, uint64_t address, unsigned place,
			   bool (*fn)(void *data, const char *name, Dwarf_Die *variable),
			   void *data);
/* The same for the variables of the whole unit. */
void unit_debug_each_global(struct unit_debug *d,
			    bool (*fn)(void *data, const char *name, Dwarf_Die *variable),
			    void *data);
/* Returns the symbol of a variable with this name, which is the name where it is not mangled. */
const char *unit_debug_symbol(Dwarf_Die *variable, const char *name);
/* Finds the section of the object that contains an address of the layout, and the offset in it;
 * false when there is none. */
bool unit_debug_section(struct unit_debug *d, uint64_t address, uint32_t *ret_index,
			uint64_t *ret_offset);
/* Finds a variable of the whole unit. */
bool unit_debug_global(struct unit_debug *d, const char *name, Dwarf_Die *ret);
/* Returns the whole unit, in which its types are; false when there is none. */
bool unit_debug_unit(const struct unit_debug *d, Dwarf_Die *ret);

#endif
