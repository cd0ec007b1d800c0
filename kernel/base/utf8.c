/* SPDX-License-Identifier: Apache-2.0 */
/* ASCII is handled eight bytes at a time; utf8proc checks the rest. */
#include "kernel/base/utf8.h"

#include <stdint.h>
#include <string.h>

#include <utf8proc.h>

#include "common/base/buffer.h"
#include "common/text/html-text.h"

static size_t ascii_run(const char *text, size_t len)
{
	size_t i = 0;
	uint64_t word;

	for (; i + sizeof(word) <= len; i += sizeof(word)) {
		memcpy(&word, text + i, sizeof(word));
		if (word & 0x8080808080808080u)
			break;
	}
	while (i < len && !(text[i] & 0x80))
		i++;
	return i;
}

/* Tells whether more bytes could make this a character. */
static bool is_cut_off(const char *text, size_t len)
{
	unsigned char first = text[0];
	size_t need = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
	char whole[4];
	utf8proc_int32_t c;

	if (first < 0xc2 || first > 0xf4 || len >= need)
		return false;
	/* After some first bytes, the range of the first continuation byte is narrower, so both
	 * ends of it are tried. */
	for (int fill = 0x80; fill <= 0xbf; fill += 0x3f) {
		memset(whole, fill, sizeof(whole));
		memcpy(whole, text, len);
		if (utf8proc_iterate((const utf8proc_uint8_t *)whole, need, &c) > 0)
			return true;
	}
	return false;
}

size_t utf8_clean(const char *text, size_t len, bool last, struct buffer *out)
{
	size_t at = 0, run;
	utf8proc_int32_t c;
	utf8proc_ssize_t n;

	while (at < len) {
		run = ascii_run(text + at, len - at);
		if (run) {
			buffer_append(out, text + at, run);
			at += run;
			continue;
		}
		n = utf8proc_iterate((const utf8proc_uint8_t *)text + at, len - at, &c);
		if (n > 0) {
			buffer_append(out, text + at, n);
			at += n;
		} else if (!last && is_cut_off(text + at, len - at)) {
			break;
		} else {
			buffer_puts(out, "\xef\xbf\xbd");
			at++;
		}
	}
	return at;
}

static bool starts_character(char c)
{
	return (c & 0xc0) != 0x80;
}

void utf8_html(const char *text, size_t len, struct buffer *out)
{
	cleanup_buffer struct buffer clean = BUFFER_INIT;

	utf8_clean(text, len, true, &clean);
	html_text(out, buffer_text(&clean), clean.len);
	out->failed |= clean.failed;
}

size_t utf8_bytes(const char *text, size_t chars)
{
	size_t at = 0;

	for (; text[at]; at++)
		if (starts_character(text[at]) && !chars--)
			break;
	return at;
}

size_t utf8_chars(const char *text, size_t bytes)
{
	size_t n = 0;

	for (size_t i = 0; i < bytes && text[i]; i++)
		n += starts_character(text[i]);
	return n;
}
