/* SPDX-License-Identifier: Apache-2.0 */
/* Converts output of a cell to UTF-8, and between the two units of positions. */
#ifndef CGPU_KERNEL_BASE_UTF8_H
#define CGPU_KERNEL_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

struct buffer;

/*
 * Appends the text, with U+FFFD for each byte that is not UTF-8. A sequence that is cut off at the
 * end is left for the next call unless `last`. Returns the number of bytes that were consumed.
 */
size_t utf8_clean(const char *text, size_t len, bool last, struct buffer *out);

/* Appends all of the text as HTML, likewise. */
void utf8_html(const char *text, size_t len, struct buffer *out);

/* Returns the number of bytes before character number `chars` of valid text; the length of the text
 * if it has fewer. */
size_t utf8_bytes(const char *text, size_t chars);
/* Returns the number of characters in the first `bytes` bytes. */
size_t utf8_chars(const char *text, size_t bytes);

#endif
