/* SPDX-License-Identifier: Apache-2.0 */
/* The caller has the C locale (display_begin()), so a decimal point is a point. */
#include "runtime/display/json-text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/base/buffer.h"

static void put_shortest(struct buffer *out, double v, bool narrow)
{
	int most = narrow ? 9 : 17;
	char text[40];

	for (int digits = narrow ? 6 : 15; digits <= most; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, v);
		if (narrow ? strtof(text, NULL) == (float)v : strtod(text, NULL) == v)
			break;
	}
	buffer_puts(out, text);
}

void json_text_number(struct buffer *out, double v, bool narrow)
{
	if (isfinite(v))
		put_shortest(out, v, narrow);
}

void json_text_string(struct buffer *out, const char *text)
{
	if (!text) {
		buffer_puts(out, "null");
		return;
	}
	buffer_putc(out, '"');
	for (const char *p = text; *p; p++) {
		if (*p == '"' || *p == '\\')
			buffer_printf(out, "\\%c", *p);
		else if ((unsigned char)*p < ' ')
			buffer_printf(out, "\\u%04x", (unsigned)*p);
		else
			buffer_putc(out, *p);
	}
	buffer_putc(out, '"');
}

void json_text_csv_string(struct buffer *out, const char *text)
{
	buffer_putc(out, '"');
	for (; *text; text++) {
		if (*text == '"')
			buffer_putc(out, '"');
		buffer_putc(out, *text);
	}
	buffer_putc(out, '"');
}
