/* SPDX-License-Identifier: Apache-2.0 */
/* The parser takes UTF-8 only, and a cell may write anything. */
#include "kernel/show/cell-json.h"

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "kernel/base/utf8.h"

/* So much JSON is parsed: an object takes many times the memory of its text, and this process must
 * not end over it. */
#define JSON_BYTES_MAX (4u * 1024 * 1024)

json_t *cell_json(const char *what, const char *data, size_t len, struct error *err)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;
	json_error_t wrong;
	json_t *value;

	if (len > JSON_BYTES_MAX) {
		error_set(err, ERROR_LIMIT, "this %s has %zu bytes, and JSON can have %u MB", what,
			  len, JSON_BYTES_MAX >> 20);
		return NULL;
	}
	utf8_clean(data, len, true, &text);
	value = json_loadb(buffer_text(&text), text.len, JSON_DECODE_ANY | JSON_ALLOW_NUL, &wrong);
	if (!value)
		error_set(err, ERROR_INPUT, "this %s is not JSON, line %d, column %d: %s", what,
			  wrong.line, wrong.column, wrong.text);
	return value;
}
