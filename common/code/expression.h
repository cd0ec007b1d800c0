/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An expression of C or C++ as a program for a stack machine: what a debugger computes from the
 * variables of a call that stands. Clang's syntax tree is translated to it
 * (compiler/clang/clang-expression.cc); whoever has the memory runs it. It reads and writes
 * nothing, calls nothing and jumps forwards only, so it ends within as many steps as it has
 * operations.
 *
 * A word of the stack is an integer of 64 bits, extended by its sign if its type has one, an
 * address, or the bits of a double, which a float is, too. Integers of other sizes are wrapped by
 * FIT.
 *
 * The bytes are a record (common/base/record.h): str type, str its code (type-code.h), u8 enum
 * expression_kind of the result, [str name, u32 line] of local variables, [str symbol] of those of
 * the session, bytes program.
 */
#ifndef CGPU_COMMON_CODE_EXPRESSION_H
#define CGPU_COMMON_CODE_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct error;

#define EXPRESSION_NAMES_MAX 64  /* of variables, of each of the two sorts */
#define EXPRESSION_CODE_MAX 8192 /* bytes of a program */
#define EXPRESSION_SLOTS_MAX 64

enum expression_operation {
#define OPERATION(name, operand) EXPRESSION_##name,
#include "common/code/expression.def"
#undef OPERATION
	EXPRESSION_OPERATIONS
};

/* What lies in memory. */
enum expression_kind {
	EXPRESSION_I1,
	EXPRESSION_I2,
	EXPRESSION_I4,
	EXPRESSION_I8,
	EXPRESSION_U1,
	EXPRESSION_U2,
	EXPRESSION_U4,
	EXPRESSION_U8, /* a pointer, too */
	EXPRESSION_BOOL,
	EXPRESSION_F4,
	EXPRESSION_F8,
	EXPRESSION_KINDS,
	EXPRESSION_PLACE = EXPRESSION_KINDS /* of a result: an object of its type, by its address */
};

/* The line of a variable that a lambda has captured: it is a member of the lambda's object. */
#define EXPRESSION_CAPTURED UINT32_MAX

/* Where a variable is declared tells it from others of its name; line 0: it has no other. */
struct expression_name {
	const char *name;
	uint32_t line;
};

/* A program that was checked; everything is borrowed from its bytes. */
struct expression {
	const char *type, *type_code;
	enum expression_kind kind;
	struct expression_name locals[EXPRESSION_NAMES_MAX];
	const char *variables[EXPRESSION_NAMES_MAX];
	uint32_t n_locals, n_variables;
	const char *code;
	size_t code_len;
};

/* What a program asks for. Each returns false when it is not to be had. */
struct expression_host {
	bool (*local)(void *data, uint32_t index, uint64_t *ret);
	bool (*variable)(void *data, uint32_t index, uint64_t *ret);
	bool (*read)(void *data, uint64_t address, void *ret, size_t len);
	void *data;
};

struct expression_value {
	bool is_place;
	uint64_t address;       /* of the object, when is_place */
	unsigned char bytes[8]; /* otherwise: the value as it lies in memory */
	size_t size;
	uint64_t word; /* the value, as on the stack */
};

/* Checks a program. ERROR_PROTOCOL: it is none. */
int expression_open(const void *bytes, size_t len, struct expression *ret, struct error *err);
/* Runs it. ERROR_INPUT says what of it cannot be computed, as "division by zero". Safe in signal
 * handlers. */
int expression_run(const struct expression *e, const struct expression_host *host,
		   struct expression_value *ret, struct error *err);
/* Tells whether the value is not zero; a place has none. */
bool expression_is_true(const struct expression *e, const struct expression_value *v);

#ifdef __cplusplus
}
#endif

#endif
