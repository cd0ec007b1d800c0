/* SPDX-License-Identifier: Apache-2.0 */
/* A length that the input does not have is none. */
#include "tests/fuzz/value-input.h"

#include <string.h>

#include "common/base/buffer.h"

struct value_input value_input_open(const uint8_t *data, size_t size, struct buffer *code)
{
	size_t len = size && data[0] < size ? data[0] : 0;
	const uint8_t *begin = data + (len > 0);

	buffer_append(code, begin, len);
	return (struct value_input){ data, size, begin + len, size - (len > 0) - len };
}

int value_input_read(void *data, uint64_t address, void *out, size_t len)
{
	const struct value_input *in = data;

	if (address % 2 || !in->size)
		return -1;
	for (size_t i = 0; i < len; i++)
		((uint8_t *)out)[i] = in->data[(address + i) % in->size];
	return 0;
}

void value_input_seed(const char *code, unsigned step, struct buffer *to)
{
	char bytes[64];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(i * step);
	buffer_putc(to, (char)strlen(code));
	buffer_puts(to, code);
	buffer_append(to, bytes, sizeof(bytes));
}
