/* SPDX-License-Identifier: Apache-2.0 */
/* The texts that front ends have named last are kept for `source`, up to a number and a size. */
#include "kernel/debugger/debug-cells.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/error.h"
#include "kernel/debugger/debug-call.h"
#include "kernel/debugger/murmur2.h"
#include "kernel/session/session.h"
#include "kernel/settings/language.h"
#include "kernel/settings/options.h"

#define TEXT_MAX (256u << 10) /* the longest text that is kept */
#define BREAKPOINTS_MAX 1000

void debug_cells_prefix(char ret[DEBUG_CELLS_PREFIX_SIZE])
{
	snprintf(ret, DEBUG_CELLS_PREFIX_SIZE, "/tmp/cgpu_%ld/", (long)getpid());
}

static void make_path(const struct debug_call *c, const char *code, char *ret, size_t size)
{
	char prefix[DEBUG_CELLS_PREFIX_SIZE];

	debug_cells_prefix(prefix);
	snprintf(ret, size, "%s%" PRIu32 "%s", prefix,
		 murmur2(code, strlen(code), DEBUG_CELLS_SEED),
		 c->session->options->language->file_extension);
}

static const struct debug_cell *find(const struct debugger *d, const char *path)
{
	for (size_t i = 0; i < DEBUG_CELLS_MAX; i++)
		if (d->cells[i].path && !strcmp(d->cells[i].path, path))
			return &d->cells[i];
	return NULL;
}

static void cell_release(struct debug_cell *cell)
{
	free(cell->path);
	free(cell->text);
	*cell = (struct debug_cell){ 0 };
}

/* A text that is not kept has a path all the same. */
static void keep(struct debugger *d, const char *path, const char *text)
{
	struct debug_cell cell;

	if (find(d, path) || strlen(text) > TEXT_MAX)
		return;
	cell = (struct debug_cell){ strdup(path), strdup(text) };
	if (!cell.path || !cell.text) {
		cell_release(&cell);
		return;
	}
	cell_release(&d->cells[d->next_cell]);
	d->cells[d->next_cell] = cell;
	d->next_cell = (d->next_cell + 1) % DEBUG_CELLS_MAX;
}

int debug_cells_dump(struct debug_call *c, struct error *err)
{
	const char *code = json_string_value(json_object_get(c->arguments, "code"));
	char path[128];

	if (!code)
		return error_set(err, ERROR_INPUT, "dumpCell: `code` is the text of a cell");
	make_path(c, code, path, sizeof(path));
	keep(c->debugger, path, code);
	c->body = json_pack("{ss}", "sourcePath", path);
	return 0;
}

static const char *source_path(const struct debug_call *c)
{
	const json_t *source = json_object_get(c->arguments, "source");

	return json_string_value(json_object_get(source, "path"));
}

int debug_cells_source(struct debug_call *c, struct error *err)
{
	const char *path = source_path(c);
	const struct debug_cell *cell = path ? find(c->debugger, path) : NULL;

	if (!path)
		return error_set(err, ERROR_INPUT, "source: `source.path` is the path of a cell");
	if (!cell)
		return error_set(
			err, ERROR_NOT_FOUND,
			"no source is known as %.200s: dumpCell gives the text of a cell a "
			"path",
			path);
	c->body = json_pack("{ss ss}", "content", cell->text, "mimeType",
			    c->session->options->language->mimetype);
	return 0;
}

int debug_cells_set_breakpoints(struct debug_call *c, struct error *err)
{
	const json_t *wanted = json_object_get(c->arguments, "breakpoints");
	const char *path = source_path(c);
	json_t *told = json_array();

	if (!path || (wanted && !json_is_array(wanted)) ||
	    json_array_size(wanted) > BREAKPOINTS_MAX) {
		json_decref(told);
		return error_set(err, ERROR_INPUT,
				 "setBreakpoints: `source.path` is the path of a cell, and "
				 "`breakpoints` a list of at most %d",
				 BREAKPOINTS_MAX);
	}
	for (size_t i = 0; i < json_array_size(wanted); i++) {
		const json_t *line = json_object_get(json_array_get(wanted, i), "line");

		json_array_append_new(
			told,
			json_pack("{sI sb ss s{ss} sI}", "id", (json_int_t)i + 1, "verified", 0,
				  "message",
				  "Cells of this kernel do not stop at breakpoints: its debugger "
				  "shows variables.",
				  "source", "path", path, "line",
				  json_is_integer(line) ? json_integer_value(line) : 0));
	}
	c->body = json_pack("{so}", "breakpoints", told);
	return 0;
}

int debug_cells_set_exceptions(struct debug_call *c, struct error *err)
{
	(void)err;
	c->body = json_pack("{s[]}", "breakpoints");
	return 0;
}

void debug_cells_release(struct debugger *d)
{
	for (size_t i = 0; i < DEBUG_CELLS_MAX; i++)
		cell_release(&d->cells[i]);
}
