/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operations as the compiler knows them: shape and lane types from ptx-opcodes.def, and the
 * straight pieces of vector code that clang made of hot-lanes.c when the project was built.
 */
#ifndef CGPU_EMULATOR_HOT_LIBRARY_H
#define CGPU_EMULATOR_HOT_LIBRARY_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

enum hot_shape { HOT_LANE, HOT_TEST, HOT_PICK, HOT_MASK, HOT_HAND };

/* Types of operands, as the columns of the table name them. */
enum hot_type { TYPE_NONE, TYPE_NARROW, TYPE_F32, TYPE_WIDE, TYPE_F64, TYPE_PREDICATE };

enum hot_family { FAMILY_PLAIN, FAMILY_MEMORY, FAMILY_ATOMIC, FAMILY_OTHER };

enum hot_space { HOT_SPACE_NONE, HOT_SPACE_GLOBAL, HOT_SPACE_SHARED };

/* The bytes that a load or a store moves. */
struct hot_access {
	enum hot_space space; /* HOT_SPACE_NONE: neither, or one that is left to its handler */
	bool loads, sign;
	uint8_t bits, count; /* of one element; elements */
};

struct hot_meaning {
	enum hot_shape shape;
	enum hot_family family;
	enum hot_type d, a, b, c;
	LLVMValueRef piece; /* NULL: left to the handler */
	struct hot_access access;
};

/* Meanings by operation number, with pieces in a module of the context; NULL when the bitcode
 * cannot be read. */
struct hot_meaning *hot_library_new(LLVMContextRef context, LLVMModuleRef *ret_module);

/* The piece behind f32 results whose bits are seen. */
LLVMValueRef hot_library_canonical(LLVMModuleRef library);

/*
 * Copy the instructions of a piece to where the builder stands: its loads become args, what it
 * stores is the result.
 */
LLVMValueRef hot_library_splice(LLVMBuilderRef builder, LLVMModuleRef to, LLVMValueRef piece,
				LLVMValueRef *args);

#endif
