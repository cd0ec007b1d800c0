/* SPDX-License-Identifier: Apache-2.0 */
/* The five special characters become entities. */
#include "common/text/html-text.h"

#include "common/base/buffer.h"

void html_text(struct buffer *out, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		switch (text[i]) {
		case '&':
			buffer_puts(out, "&amp;");
			break;
		case '<':
			buffer_puts(out, "&lt;");
			break;
		case '>':
			buffer_puts(out, "&gt;");
			break;
		case '"':
			buffer_puts(out, "&quot;");
			break;
		default:
			buffer_putc(out, text[i]);
		}
	}
}
