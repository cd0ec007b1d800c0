/* SPDX-License-Identifier: Apache-2.0 */
/* Words and numbers of text/plain: what people read where nothing is drawn. */
#ifndef CGPU_RUNTIME_DISPLAY_PLAIN_TEXT_H
#define CGPU_RUNTIME_DISPLAY_PLAIN_TEXT_H

#include <stddef.h>

struct buffer;
struct range;

/* Whole numbers as they are, others to six digits, NaN and infinity by name. */
void plain_text_number(struct buffer *out, double v);
/* "1 row", "3,000 rows". */
void plain_text_counted(struct buffer *out, size_t n, const char *what);
/* ", x 0 to 5", or ", no finite x"; what: "" for values. */
void plain_text_range(struct buffer *out, const char *what, const struct range *r);
/* "; 3 without a finite value"; nothing of none. */
void plain_text_unreal(struct buffer *out, size_t n);

#endif
