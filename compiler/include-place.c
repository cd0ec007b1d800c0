/* SPDX-License-Identifier: Apache-2.0 */
/* Places in the text of a cell and the files that are taken into it: of compiler/include-text.h what needs no session. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/mem-pool.h"
#include "compiler/include-text.h"

struct include_place include_text_place(const struct include_text *t, uint32_t line)
{
	struct include_place place = { .file = t ? t->cell_name : "", .line = line, .cell_line = line, .in_cell = true };

	for (uint32_t i = 0; t && i < t->n && t->pieces[i].line <= line; i++) {
		const struct include_piece *p = &t->pieces[i];

		place.in_cell = p->file == INCLUDE_TEXT_CELL;
		place.file = place.in_cell ? t->cell_name : t->files[p->file].name;
		place.line = p->first + (line - p->line);
		place.cell_line = place.in_cell ? place.line : p->cell_line;
	}
	return place;
}

uint32_t include_text_line(const struct include_text *t, const char *file, uint32_t line)
{
	for (uint32_t i = 0; i < t->n; i++) {
		const struct include_piece *p = &t->pieces[i];
		uint32_t end = i + 1 < t->n ? t->pieces[i + 1].line : UINT32_MAX;

		if (p->file != INCLUDE_TEXT_CELL && !strcmp(t->files[p->file].name, file) && line >= p->first &&
		    line - p->first < end - p->line)
			return p->line + (line - p->first);
	}
	return 0;
}

const char *include_text_mark(const struct include_file *f, struct mem_pool *pool)
{
	char text[PATH_MAX + 40];

	snprintf(text, sizeof(text), "/* %s %016llx */", f->path, (unsigned long long)f->hash);
	return mem_pool_strdup(pool, text);
}

const char *include_text_read(const char *path, size_t max, struct mem_pool *pool)
{
	cleanup_file FILE *f = fopen(path, "re");
	char *text = f ? mem_pool_alloc(pool, max + 1) : NULL;
	size_t n = text ? fread(text, 1, max + 1, f) : 0;

	/* A text with a NUL is none. */
	return text && n <= max && strlen(text) == n ? text : NULL;
}
