/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines are compared as text, with their line end, in linear searches, as there are few. As soon
 * as one line is a common header, all common ones are written first, in the order of
 * cpp-bundle.def, and the others behind them in their own order. The result is then the same for
 * every choice of common headers, and since the precompiled header is found by a key made of this
 * text, one header serves all such cells.
 */
#include "compiler/session/cpp-bundle.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buffer.h"

static const char *const common[] = {
#define CPP_HEADER(name) "#include <" #name ">\n",
#include "compiler/session/cpp-bundle.def"
#undef CPP_HEADER
};

#define N_COMMON (sizeof(common) / sizeof(common[0]))

static bool is_common(const char *line, size_t len)
{
	for (size_t i = 0; i < N_COMMON; i++)
		if (strlen(common[i]) == len && !memcmp(common[i], line, len))
			return true;
	return false;
}

/* Tells whether the text has the line, with its line end, behind a line end or at the start. */
static bool has_line(const char *text, const char *line, size_t len)
{
	for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n')
		if (!strncmp(at, line, len))
			return true;
	return false;
}

static size_t line_length(const char *line)
{
	size_t len = strcspn(line, "\n");

	return len + (line[len] == '\n');
}

void cpp_bundle_includes(const char *includes, struct buffer *ret)
{
	bool any = false;

	for (const char *at = includes; *at && !any; at += line_length(at))
		any = is_common(at, line_length(at));
	for (size_t i = 0; any && i < N_COMMON; i++)
		buffer_puts(ret, common[i]);
	for (const char *at = includes; *at; at += line_length(at))
		if (!is_common(at, line_length(at)) &&
		    !has_line(buffer_text(ret), at, line_length(at)))
			buffer_append(ret, at, line_length(at));
}

size_t cpp_bundle_length(const char *includes)
{
	size_t n = 0;

	while (is_common(includes + n, line_length(includes + n)))
		n += line_length(includes + n);
	return n;
}
