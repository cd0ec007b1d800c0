/* SPDX-License-Identifier: Apache-2.0 */
/* Within single quotes only the quote itself means something. */
#include "kernel/machine-magics/shell-word.h"

#include "common/base/buffer.h"

void shell_word_put(const char *text, struct buffer *out)
{
	buffer_putc(out, '\'');
	for (; *text; text++) {
		if (*text == '\'')
			buffer_puts(out, "'\\'");
		buffer_putc(out, *text);
	}
	buffer_putc(out, '\'');
}
