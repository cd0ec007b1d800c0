/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Characters and strings as C writes them: 'a' (97), "text\n", L'é' (233), u"text". Codes are those
 * of common/code/type-code.h; `code` is that of one character.
 */
#ifndef CGPU_KERNEL_VIEWS_CHARACTER_FORMAT_H
#define CGPU_KERNEL_VIEWS_CHARACTER_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

struct buffer;

#define CHARACTER_STRING_MAX 2000 /* bytes of a char string, characters of a wide one */

/* Tells whether the code is a character type. */
bool character_format_is(const char *code);
/* Returns the size of the character type in bytes; 0 when it is none. */
size_t character_format_size(const char *code);
void character_format_one(const char *code, const void *bytes, struct buffer *out);
/* Formats the text up to the NUL within these n characters; "..." behind the quote when it goes
 * on. */
void character_format_string(const char *code, const void *bytes, size_t n, struct buffer *out);

#endif
