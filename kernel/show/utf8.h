/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes of a cell's output to UTF-8 that JSON can carry, and the two ways in which positions are
 * counted. */
#ifndef CGPU_KERNEL_SHOW_UTF8_H
#define CGPU_KERNEL_SHOW_UTF8_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

struct buffer;

/*
 * Appends the text, with U+FFFD for each byte that is not UTF-8. A sequence that is cut off at the
 * end is left for the next call unless `last`. Returns how many bytes were taken.
 */
size_t utf8_clean(const char *text, size_t len, bool last, struct buffer *out);

/* All of the text as a string of JSON; NULL: out of memory. */
json_t *utf8_json(const char *text, size_t len);
/* The same as text of HTML, appended. */
void utf8_html(const char *text, size_t len, struct buffer *out);
/* The data of a display message that has both forms; NULL: out of memory. */
json_t *utf8_bundle(const char *text, const char *html);

/* Bytes before the character number `chars` of valid text; its length if there are not so many. */
size_t utf8_bytes(const char *text, size_t chars);
/* Characters in the first `bytes` bytes. */
size_t utf8_chars(const char *text, size_t bytes);

#endif
