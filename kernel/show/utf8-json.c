/* SPDX-License-Identifier: Apache-2.0 */
/* Jansson takes text that is checked already. */
#include "kernel/show/utf8-json.h"

#include <string.h>

#include "common/base/buffer.h"
#include "kernel/base/utf8.h"

json_t *utf8_json(const char *text, size_t len)
{
	cleanup_buffer struct buffer clean = BUFFER_INIT;

	utf8_clean(text, len, true, &clean);
	return json_stringn_nocheck(buffer_text(&clean), clean.len);
}

json_t *utf8_json_text(const char *text)
{
	return utf8_json(text, strlen(text));
}

json_t *utf8_json_bundle(const char *text, const char *html)
{
	return json_pack("{so so}", "text/plain", utf8_json_text(text), "text/html",
			 utf8_json_text(html));
}
