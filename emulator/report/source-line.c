/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader that was set is asked first, since it knows the texts of cells; a file is opened only
 * when it has no such line. The file is read from its first line on, with no cache: reports are
 * rare. A line is cut at LINE_MAX_SHOWN - 1 bytes and loses its indentation.
 */
#include "emulator/report/source-line.h"

#include <stdio.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"

#define LINE_MAX_SHOWN 160

static struct source_reader {
	emulator_source_fn read; /* NULL: there is nobody to ask */
	void *data;
} reader;

void source_line_set_reader(emulator_source_fn read, void *data)
{
	reader = (struct source_reader){ read, data };
}

static bool read_file(const char *path, uint32_t line, char *ret, size_t size)
{
	cleanup_file FILE *f = *path == '/' ? fopen(path, "re") : NULL;
	uint32_t at = 1;

	/* A line longer than the buffer comes in pieces; its first one counts. */
	while (f && fgets(ret, (int)size, f)) {
		if (at == line)
			return true;
		at += strchr(ret, '\n') != NULL;
	}
	return false;
}

void source_line_put(const char *file, uint32_t line, const char *indent, struct buffer *out)
{
	char text[LINE_MAX_SHOWN];
	size_t skip;

	if (!line)
		return;
	if (!(reader.read && reader.read(reader.data, file, line, text, sizeof(text))) &&
	    !read_file(file, line, text, sizeof(text)))
		return;
	text[strcspn(text, "\r\n")] = '\0';
	skip = strspn(text, " \t");
	if (text[skip])
		buffer_printf(out, "%s%u | %s\n", indent, line, text + skip);
}
