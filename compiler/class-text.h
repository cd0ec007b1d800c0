/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Classes of CUDA C++: structures with member functions, constructors, access marks, initialisers of members. Device code gets
 * them as they are; host code, which is C, gets the structure with its data members, which has the same layout. What C has no
 * layout for, a class with a base, with virtual functions or with members of template types, is the device's alone.
 * Of `enum class Op { Add }` C has an enum whose constants are named Op__Add.
 */
#ifndef CGPU_COMPILER_CLASS_TEXT_H
#define CGPU_COMPILER_CLASS_TEXT_H

#include <stdint.h>

#include "compiler/token.h"

struct edit_list;
struct mem_pool;

enum class_kind {
	CLASS_NONE,   /* a structure of C */
	CLASS_SHARED, /* C has its data members */
	CLASS_DEVICE, /* for device code alone */
};

/* Of the definition whose keyword stands at `tag`: struct, union, class or enum. */
enum class_kind class_text_kind(const struct token_list *l, uint32_t tag);

/* Makes a structure, or an enum, of C of a CLASS_SHARED; texts of edits are in the pool. */
void class_text_edit(const struct token_list *l, uint32_t tag, struct mem_pool *pool, struct edit_list *edits);

#endif
