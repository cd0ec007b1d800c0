/* SPDX-License-Identifier: Apache-2.0 */
/* A type code (common/code/type-code.h) as the type is written in C: "int *[4]", "struct node *".
 * Names of typedefs are not in a code. */
#ifndef CGPU_KERNEL_VIEWS_TYPE_TEXT_H
#define CGPU_KERNEL_VIEWS_TYPE_TEXT_H

struct buffer;

/* Appends the type at the beginning of the code, which is well-formed. */
void type_text_put(const char *code, struct buffer *out);

#endif
