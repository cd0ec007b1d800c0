/* SPDX-License-Identifier: Apache-2.0 */
/* Output of a cell as JSON. */
#ifndef CGPU_KERNEL_SHOW_UTF8_JSON_H
#define CGPU_KERNEL_SHOW_UTF8_JSON_H

#include <stddef.h>

#include <jansson.h>

/* Makes a JSON string of all of the text, with U+FFFD for each byte that is not UTF-8; NULL: out of
 * memory. */
json_t *utf8_json(const char *text, size_t len);
/* The same of a whole string. */
json_t *utf8_json_text(const char *text);
/* Makes the data of a display message with both forms; NULL: out of memory. */
json_t *utf8_json_bundle(const char *text, const char *html);

#endif
