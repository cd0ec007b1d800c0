/* SPDX-License-Identifier: Apache-2.0 */
/* Type codes (common/code/type-code.h) from debugging information: those of cells say nothing of a
 * struct behind a pointer but its name and size, and of a class of C++ its size. */
#ifndef CGPU_KERNEL_PRESENTER_DEBUG_LAYOUT_H
#define CGPU_KERNEL_PRESENTER_DEBUG_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#include <elfutils/libdw.h>

struct buffer;
struct unit_debug;

/* Appends the code, with all members, of the struct whose code without them is in the `len` bytes:
 * "s16(node)". False, and nothing is appended, when the unit has no such struct, or several. */
bool debug_layout_put(struct unit_debug *d, const char *code, size_t len, struct buffer *out);
/* Appends the code of a variable. False, and nothing is appended, when the unit has no such
 * variable, or several. */
bool debug_layout_put_variable(struct unit_debug *d, const char *name, struct buffer *out);
/* Appends the code of a variable that was found. False, and nothing is appended, when its type is
 * not known. */
bool debug_layout_put_type_of(Dwarf_Die *variable, struct buffer *out);

#endif
