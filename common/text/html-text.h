/* SPDX-License-Identifier: Apache-2.0 */
/* Escapes plain text for HTML. */
#ifndef CGPU_COMMON_TEXT_HTML_TEXT_H
#define CGPU_COMMON_TEXT_HTML_TEXT_H

#include <stddef.h>

struct buffer;

/* Appends `len` bytes of text as content of an element, or as the value of an attribute in double
 * quotes. */
void html_text(struct buffer *out, const char *text, size_t len);

#endif
