/* SPDX-License-Identifier: Apache-2.0 */
/* The caller has the C locale (display_begin()), so a decimal point is a point. */
#include "runtime/display/plain-text.h"

#include <math.h>

#include "common/base/buffer.h"
#include "runtime/display/range.h"

void plain_text_number(struct buffer *out, double v)
{
	if (isfinite(v))
		buffer_printf(out, fabs(v) < 1e15 && v == floor(v) ? "%.0f" : "%.6g", v);
	else
		buffer_puts(out, isnan(v) ? "nan" : v > 0 ? "inf" : "-inf");
}

void plain_text_counted(struct buffer *out, size_t n, const char *what)
{
	buffer_put_grouped(out, n);
	buffer_printf(out, " %s%s", what, n == 1 ? "" : "s");
}

void plain_text_range(struct buffer *out, const char *what, const struct range *r)
{
	if (range_is_empty(r)) {
		buffer_printf(out, ", no finite %s", *what ? what : "value");
		return;
	}
	buffer_printf(out, ", %s%s", what, *what ? " " : "");
	plain_text_number(out, r->least);
	buffer_puts(out, " to ");
	plain_text_number(out, r->greatest);
}

void plain_text_unreal(struct buffer *out, size_t n)
{
	if (!n)
		return;
	buffer_puts(out, "; ");
	buffer_put_grouped(out, n);
	buffer_puts(out, " without a finite value");
}
