/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rename is made by the preprocessor: `#define index cgpu_own_index` stands behind the headers,
 * so clang never sees two declarations of one name. A macro of a header needs only an #undef, and a
 * tag needs nothing, since it has a name space of its own. The way back removes the prefixes
 * wherever they occur in a text, which only makes it shorter, so it is done in place.
 */
#include "compiler/text/own-names.h"

#include <stdbool.h>
#include <string.h>

#include "common/base/buffer.h"
#include "compiler/text/header-names.h"

void own_names_write(const struct header_names *headers, const char *name, size_t len,
		     struct buffer *out)
{
	char kind = header_names_kind(headers, name, len);

	if (!kind || kind == 's')
		return;
	buffer_printf(out, "\n#undef %.*s\n", (int)len, name);
	if (kind != 'm')
		buffer_printf(out, "#define %.*s " OWN_PREFIX "%.*s\n", (int)len, name, (int)len,
			      name);
}

void own_names_strip(char *text)
{
	static const char *const prefixes[] = { OWN_PREFIX, STORAGE_PREFIX };

	for (size_t i = 0; text && i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		size_t n = strlen(prefixes[i]);

		for (char *at = strstr(text, prefixes[i]); at; at = strstr(at, prefixes[i]))
			memmove(at, at + n, strlen(at + n) + 1);
	}
}
