/* SPDX-License-Identifier: Apache-2.0 */
/* A char string may have any encoding and passes through; wide strings are code points, written in
 * UTF-8. */
#include "kernel/views/character-format.h"

#include <inttypes.h>
#include <string.h>

#include <utf8proc.h>

#include "common/base/buffer.h"
#include "common/code/type-code.h"

bool character_format_is(const char *code)
{
	return *code == 'c' || *code == 'L' || *code == 'U';
}

size_t character_format_size(const char *code)
{
	return character_format_is(code) ? type_code_size(code) : 0;
}

static void put_escaped(struct buffer *out, unsigned char c, char quote)
{
	static const char names[] = "abtnvfr";

	if (c == quote || c == '\\')
		buffer_printf(out, "\\%c", c);
	else if (c >= '\a' && c <= '\r')
		buffer_printf(out, "\\%c", names[c - '\a']);
	else if (c < ' ' || c == 127)
		buffer_printf(out, "\\%03o", c);
	else
		buffer_putc(out, c);
}

static uint32_t unit_at(const void *bytes, size_t size, size_t i)
{
	uint32_t c = 0;

	memcpy(&c, (const char *)bytes + i * size, size);
	return c;
}

/* Appends the prefix of the type's literals: L"", u"", U"". */
static void put_prefix(const char *code, struct buffer *out)
{
	if (*code == 'L')
		buffer_putc(out, 'L');
	else if (*code == 'U')
		buffer_putc(out, type_code_size(code) == 2 ? 'u' : 'U');
}

static void put_code_point(struct buffer *out, uint32_t c, size_t size, char quote)
{
	utf8proc_uint8_t text[4];
	utf8proc_category_t kind =
		c < 0x110000 ? utf8proc_category((utf8proc_int32_t)c) : UTF8PROC_CATEGORY_CN;

	if (c < 128)
		put_escaped(out, (unsigned char)c, quote);
	else if (kind == UTF8PROC_CATEGORY_CN || kind == UTF8PROC_CATEGORY_CC ||
		 kind == UTF8PROC_CATEGORY_CS)
		buffer_printf(out, size == 2 ? "\\x%04" PRIx32 : "\\x%08" PRIx32, c);
	else
		buffer_append(out, text, (size_t)utf8proc_encode_char((utf8proc_int32_t)c, text));
}

/* Returns the character at *i, which moves behind it: two units of UTF-16 may be one character. */
static uint32_t code_point(const void *bytes, size_t size, size_t n, size_t *i)
{
	uint32_t c = unit_at(bytes, size, (*i)++), low;

	if (size != 2 || c < 0xd800 || c > 0xdbff || *i == n)
		return c;
	low = unit_at(bytes, size, *i);
	if (low < 0xdc00 || low > 0xdfff)
		return c;
	++*i;
	return 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
}

static void put_char(struct buffer *out, signed char c)
{
	if (c < 0) {
		buffer_printf(out, "'\\x%02x' (%d)", (unsigned char)c, c);
		return;
	}
	buffer_putc(out, '\'');
	if (c)
		put_escaped(out, (unsigned char)c, '\'');
	else
		buffer_puts(out, "\\0");
	buffer_printf(out, "' (%d)", c);
}

void character_format_one(const char *code, const void *bytes, struct buffer *out)
{
	size_t size = character_format_size(code);
	uint32_t c = unit_at(bytes, size, 0);

	if (*code == 'c') {
		put_char(out, *(const signed char *)bytes);
		return;
	}
	put_prefix(code, out);
	buffer_putc(out, '\'');
	if (c)
		put_code_point(out, c, size, '\'');
	else
		buffer_puts(out, "\\0");
	if (*code == 'L')
		buffer_printf(out, "' (%" PRId32 ")", (int32_t)c);
	else
		buffer_printf(out, "' (%" PRIu32 ")", c);
}

void character_format_string(const char *code, const void *bytes, size_t n, struct buffer *out)
{
	size_t size = character_format_size(code), len = 0, i = 0, shown = 0;

	while (len < n && unit_at(bytes, size, len))
		len++;
	put_prefix(code, out);
	buffer_putc(out, '"');
	for (; i < len && shown < CHARACTER_STRING_MAX; shown++) {
		if (*code == 'c')
			put_escaped(out, ((const unsigned char *)bytes)[i++], '"');
		else
			put_code_point(out, code_point(bytes, size, len, &i), size, '"');
	}
	buffer_puts(out, i < len ? "\"..." : "\"");
}
