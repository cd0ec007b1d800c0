/* SPDX-License-Identifier: Apache-2.0 */
/* The texts that front ends have named, and cells that were run, are kept up to a number and a
 * size: breakpoints come for a path, and the worker knows a cell by its number. */
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
#include "kernel/show/utf8-json.h"

#define TEXT_MAX (256u << 10) /* the longest text that is kept */
#define BREAKPOINTS_MAX 1000

/* A front end keeps breakpoints by their paths over a restart, so they have the name of the
 * connection file, which the next kernel of a notebook has, too. */
void debug_cells_prefix(const struct session *s, char ret[DEBUG_CELLS_PREFIX_SIZE])
{
	const char *file = s->options->connection_file;
	uint32_t id = *file ? murmur2(file, strlen(file), DEBUG_CELLS_SEED) : (uint32_t)getpid();

	snprintf(ret, DEBUG_CELLS_PREFIX_SIZE, "/tmp/cgpu_%08" PRIx32 "/", id);
}

static void make_path(const struct session *s, const char *code, char *ret, size_t size)
{
	char prefix[DEBUG_CELLS_PREFIX_SIZE];

	debug_cells_prefix(s, prefix);
	snprintf(ret, size, "%s%" PRIu32 "%s", prefix,
		 murmur2(code, strlen(code), DEBUG_CELLS_SEED),
		 s->options->language->file_extension);
}

static struct debug_cell *find(struct debugger *d, const char *path)
{
	for (size_t i = 0; i < DEBUG_CELLS_MAX; i++)
		if (d->cells[i].path && !strcmp(d->cells[i].path, path))
			return &d->cells[i];
	return NULL;
}

static void drop_lines(struct debug_cell *cell)
{
	for (size_t i = 0; i < cell->n_lines; i++)
		free(cell->lines[i].condition);
	free(cell->lines);
	cell->lines = NULL;
	cell->n_lines = 0;
}

static void cell_release(struct debug_cell *cell)
{
	free(cell->path);
	free(cell->text);
	drop_lines(cell);
	*cell = (struct debug_cell){ 0 };
}

/* Returns the place of the oldest cell without breakpoints, or of the oldest. */
static struct debug_cell *next_place(struct debugger *d)
{
	size_t at = d->next_cell;

	for (size_t i = 0; i < DEBUG_CELLS_MAX && d->cells[at].n_lines; i++)
		at = (at + 1) % DEBUG_CELLS_MAX;
	d->next_cell = (at + 1) % DEBUG_CELLS_MAX;
	return &d->cells[at];
}

/* Returns the cell with this path, which is made if there is none; NULL: out of memory. A text that
 * is too long is not kept. */
static struct debug_cell *keep(struct debugger *d, const char *path, const char *text)
{
	struct debug_cell *cell = find(d, path);

	if (!cell) {
		cell = next_place(d);
		cell_release(cell);
		cell->path = strdup(path);
	}
	if (cell->path && text && !cell->text && strlen(text) <= TEXT_MAX)
		cell->text = strdup(text);
	return cell->path ? cell : NULL;
}

int debug_cells_dump(struct debug_call *c, struct error *err)
{
	const char *code = json_string_value(json_object_get(c->arguments, "code"));
	char path[128];

	if (!code)
		return error_set(err, ERROR_INPUT, "dumpCell: `code` is the text of a cell");
	make_path(c->session, code, path, sizeof(path));
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
	const char *path = source_path(c), *text;
	const struct debug_cell *cell = path ? find(c->debugger, path) : NULL;

	if (!path)
		return error_set(err, ERROR_INPUT, "source: `source.path` is the path of a cell");
	text = cell && cell->text ? cell->text : supervisor_text(c->session->supervisor, path);
	if (!*text && (!cell || !cell->text))
		return error_set(
			err, ERROR_NOT_FOUND,
			"no source is known as %.200s: dumpCell gives the text of a cell a "
			"path",
			path);
	c->body = json_pack("{so ss}", "content", utf8_json_text(text), "mimeType",
			    c->session->options->language->mimetype);
	return 0;
}

/* ---- breakpoints ---- */

/* Tells the supervisor all breakpoints of cells that have been run. */
static void tell(struct session *s)
{
	struct debug_breakpoint at[DEBUG_BREAKPOINTS_MAX];
	struct debugger *d = s->debugger;
	size_t n = 0;

	debug_conditions_begin(d);
	for (size_t i = 0; i < DEBUG_CELLS_MAX; i++) {
		const struct debug_cell *cell = &d->cells[i];

		for (size_t k = 0; k < cell->n_lines; k++) {
			const struct debug_line *line = &cell->lines[k];
			uint32_t condition =
				line->condition ? debug_conditions_take(s, cell->path, line->line,
									line->condition)
						: 0;

			if (cell->number && n < DEBUG_BREAKPOINTS_MAX)
				at[n++] = (struct debug_breakpoint){ cell->number, line->line,
								     condition };
		}
	}
	debug_conditions_end(d);
	supervisor_set_breakpoints(s->supervisor, at, n);
}

void debug_cells_note_run(struct session *s, uint32_t number, const char *text)
{
	struct debug_cell *cell;
	char path[128];

	make_path(s, text, path, sizeof(path));
	cell = keep(s->debugger, path, text);
	if (cell)
		cell->number = number;
	debug_conditions_renew(s, path);
	tell(s);
}

const char *debug_cells_path(const struct debugger *d, const char *name)
{
	uint32_t number;

	if (sscanf(name, "In[%" SCNu32 "]", &number) == 1)
		for (size_t i = 0; i < DEBUG_CELLS_MAX; i++)
			if (number && d->cells[i].number == number)
				return d->cells[i].path;
	return name;
}

/* Returns the line that is asked for; 0: there is none. */
static uint32_t line_of(const json_t *wanted)
{
	const json_t *line = json_object_get(wanted, "line");
	json_int_t number = json_is_integer(line) ? json_integer_value(line) : 0;

	return number > 0 && number <= UINT32_MAX ? (uint32_t)number : 0;
}

/* Returns what must be true for the cell to stop; NULL: nothing must. */
static const char *condition_of(const json_t *wanted)
{
	const char *text = json_string_value(json_object_get(wanted, "condition"));

	return text && text[strspn(text, " \t\r\n")] ? text : NULL;
}

/* Returns how many breakpoints of all cells have a condition. */
static size_t count_conditions(const struct debugger *d)
{
	size_t n = 0;

	for (size_t i = 0; i < DEBUG_CELLS_MAX; i++)
		for (size_t k = 0; k < d->cells[i].n_lines; k++)
			n += d->cells[i].lines[k].condition != NULL;
	return n;
}

static const char *refuse_condition(const struct debugger *d, const char *condition)
{
	if (!condition)
		return NULL;
	if (strlen(condition) > DEBUG_CONDITION_TEXT_MAX)
		return "A condition has at most 1024 characters.";
	if (count_conditions(d) >= DEBUG_CONDITIONS_MAX)
		return "There are too many breakpoints with a condition in all cells: remove some.";
	return NULL;
}

/* n: how many there are. */
static const char *refusal(uint32_t line, size_t n)
{
	if (!DEBUG_STOPS)
		return "Cells do not stop at breakpoints on this processor.";
	if (n >= DEBUG_BREAKPOINTS_MAX)
		return "There are too many breakpoints in all cells: remove some.";
	return line ? NULL : "A breakpoint has the number of a line.";
}

/* Returns how many breakpoints other cells have. */
static size_t count_others(const struct debugger *d, const struct debug_cell *cell)
{
	size_t n = 0;

	for (size_t i = 0; i < DEBUG_CELLS_MAX; i++)
		n += &d->cells[i] == cell ? 0 : d->cells[i].n_lines;
	return n;
}

/* why: it is refused; NULL: it is not. */
static json_t *breakpoint_json(const char *path, uint32_t line, size_t i, const char *why)
{
	json_t *made = json_pack("{sI sb s{ss} sI}", "id", (json_int_t)i + 1, "verified", !why,
				 "source", "path", path, "line", (json_int_t)line);

	if (why)
		json_object_set_new(made, "message", json_string(why));
	return made;
}

int debug_cells_set_breakpoints(struct debug_call *c, struct error *err)
{
	const json_t *wanted = json_object_get(c->arguments, "breakpoints");
	size_t n = json_array_size(wanted);
	const char *path = source_path(c);
	struct debug_cell *cell;
	size_t others;
	struct debug_line *lines;
	json_t *told;

	if (!path || (wanted && !json_is_array(wanted)) || n > BREAKPOINTS_MAX)
		return error_set(err, ERROR_INPUT,
				 "setBreakpoints: `source.path` is the path of a cell, and "
				 "`breakpoints` a list of at most %d",
				 BREAKPOINTS_MAX);
	cell = keep(c->debugger, path, NULL);
	lines = calloc(n + 1, sizeof(*lines));
	if (!cell || !lines) {
		free(lines);
		return error_set(err, ERROR_MEMORY, "out of memory for breakpoints");
	}
	drop_lines(cell);
	cell->lines = lines;
	others = count_others(c->debugger, cell);
	told = json_array();
	for (size_t i = 0; i < n; i++) {
		const char *condition = condition_of(json_array_get(wanted, i));
		uint32_t line = line_of(json_array_get(wanted, i));
		const char *why = refusal(line, others + cell->n_lines);

		if (!why)
			why = refuse_condition(c->debugger, condition);
		json_array_append_new(told, breakpoint_json(path, line, i, why));
		if (!why)
			lines[cell->n_lines++] =
				(struct debug_line){ line, condition ? strdup(condition) : NULL };
	}
	tell(c->session);
	c->body = json_pack("{so}", "breakpoints", told);
	return 0;
}

static json_t *line_json(const struct debug_line *line)
{
	json_t *made = json_pack("{sI}", "line", (json_int_t)line->line);

	if (made && line->condition)
		json_object_set_new(made, "condition", utf8_json_text(line->condition));
	return made;
}

json_t *debug_cells_breakpoints(const struct debugger *d)
{
	json_t *list = json_array();

	for (size_t i = 0; i < DEBUG_CELLS_MAX; i++) {
		json_t *lines = d->cells[i].n_lines ? json_array() : NULL;

		for (size_t k = 0; k < d->cells[i].n_lines; k++)
			json_array_append_new(lines, line_json(&d->cells[i].lines[k]));
		if (lines)
			json_array_append_new(list, json_pack("{ss so}", "source", d->cells[i].path,
							      "breakpoints", lines));
	}
	return list;
}

int debug_cells_set_exceptions(struct debug_call *c, struct error *err)
{
	const json_t *filters = json_object_get(c->arguments, "filters");
	bool on = false;

	(void)err;
	for (size_t i = 0; i < json_array_size(filters); i++) {
		const char *filter = json_string_value(json_array_get(filters, i));

		on |= filter && !strcmp(filter, DEBUG_FILTER_FAULT);
	}
	supervisor_stop_at_faults(c->session->supervisor, on);
	c->body = json_pack("{s[]}", "breakpoints");
	return 0;
}

void debug_cells_release(struct debugger *d)
{
	for (size_t i = 0; i < DEBUG_CELLS_MAX; i++)
		cell_release(&d->cells[i]);
}
