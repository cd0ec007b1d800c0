/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A C type as a short text: enough to print a value from its bytes. The compiler makes it, the
 * kernel prints with it, the worker passes it through.
 *
 *	v                     void             b            _Bool
 *	c                     char             i1 i2 i4 i8 i16   signed integers of so many bytes
 *	L4 U4 U2              wchar_t, char32_t, char16_t
 *	u1 u2 u4 u8 u16       unsigned         f2 f4 f8 f16      floating (f16: long double)
 *	z4 z8 z16             _Complex of two f4, f8, f16
 *	e4{RED=0,BLUE=2}      enum of 4 bytes with its constants
 *	e1u{...}              the same with values that are never negative
 *	pT                    pointer to T     F            function (only behind p)
 *	a10T                  array of 10 T    x4T          vector of 4 T
 *	s16(name){x@0:i4,y@8:f8}  struct of 16 bytes: members with byte offsets; (name) may be empty
 *	n8(name){...}         union
 *	member of a bit-field: name@8:m3:4:i4   bit 3 of the i4 at offset 8, 4 bits wide
 *	k24V(vector)T         container of 24 bytes with elements T, by its shape, which says where
 *	                      they lie: V in one piece, S a string, W a string view, T tree, H hash
 *	                      table, L list, F forward list, D deque, O optional (containers.def)
 *	t                     the bytes are a text to be shown as it is; only of a whole value
 *	?N                    an object of N bytes that cannot be printed; ?0: incomplete
 *
 * A struct behind a pointer is written s16(name) without the braces: but not if the whole type is
 * that pointer.
 */
#ifndef CGPU_COMMON_CODE_TYPE_CODE_H
#define CGPU_COMMON_CODE_TYPE_CODE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The place of a container in its code, and what it has. */
struct type_code_container {
	char shape;
	const char *name;
	size_t name_len;
	const char *element; /* its code */
};

/* Takes apart a code that type_code_skip() has accepted; false: it is no container's. */
bool type_code_container(const char *code, struct type_code_container *ret);

/* Returns the size of an object of this type; 0 for void, functions, incomplete or malformed
 * codes. */
size_t type_code_size(const char *code);

/* Returns the end of the type that starts at code; NULL if malformed. In a code that is not,
 * members lie inside their structures, and sizes are those that the kind of type can have. */
const char *type_code_skip(const char *code);

#ifdef __cplusplus
}
#endif

#endif
