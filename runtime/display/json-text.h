/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers and names as JSON and CSV have them. */
#ifndef CGPU_RUNTIME_DISPLAY_JSON_TEXT_H
#define CGPU_RUNTIME_DISPLAY_JSON_TEXT_H

#include <stdbool.h>

struct buffer;

/* The shortest text that is the same number again; nothing for what is not finite. `narrow`: it is
 * a float. */
void json_text_number(struct buffer *out, double v, bool narrow);
/* In quotes; NULL: null. Bytes that are not UTF-8 are left to the kernel process. */
void json_text_string(struct buffer *out, const char *text);
/* In quotes, as a field of CSV (RFC 4180). */
void json_text_csv_string(struct buffer *out, const char *text);

#endif
