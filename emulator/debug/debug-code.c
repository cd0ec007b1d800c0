/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Places are worked out once for each instruction. Code that was inlined is a part of its own for
 * each place that it is inlined at: its lines say nothing about the lines of the function around
 * it. Compilers give column 0 to what a function does before its first line, so no breakpoint
 * stands there; but that line is the first of the function's. With -g clang does not say where code
 * is inlined at: lines before that one, and those of other files, can only be such code.
 */
#include "emulator/debug/debug-code.h"

#include <stdlib.h>
#include <string.h>

#include "emulator/memory/access.h"
#include "emulator/ptx/ptx-syntax.h"

#define CELL "In["

static const char *file_name(const struct ptx_module *m, uint32_t number)
{
	for (size_t i = 0; i < m->file_count; i++)
		if (m->files[i].number == number)
			return m->files[i].name;
	return "";
}

static bool is_cell(const char *file)
{
	return !strncmp(file, CELL, strlen(CELL));
}

bool debug_code_has_file(const struct ptx_module *m, const char *file)
{
	for (size_t i = 0; i < m->file_count; i++)
		if (file ? !strcmp(m->files[i].name, file) : is_cell(m->files[i].name))
			return true;
	return false;
}

/* A name may be kept more than once. */
static bool same_function(const struct ptx_module *m, uint32_t a, uint32_t b)
{
	return a == b || (a < m->location_name_count && b < m->location_name_count &&
			  !strcmp(m->location_names[a], m->location_names[b]));
}

static bool is_same_part(const struct ptx_module *m, const struct debug_part *a,
			 const struct debug_part *b)
{
	return a->file == b->file && a->at_file == b->at_file && a->at_line == b->at_line &&
	       a->at_column == b->at_column && a->run == b->run &&
	       same_function(m, a->function, b->function);
}

/* The part that a location belongs to; it grows by the line. There is room for one more. */
static uint32_t find_part(struct debug_code *c, const struct ptx_module *m,
			  const struct ptx_location *l, uint32_t run)
{
	struct debug_part p = { .file = l->file,
				.function = l->function,
				.run = run,
				.least = l->line,
				.greatest = l->line };
	uint32_t i = 0;

	if (l->inlined_at < m->location_count) {
		const struct ptx_location *at = &m->locations[l->inlined_at];

		p.at_file = at->file;
		p.at_line = at->line;
		p.at_column = at->column;
	}
	while (i < c->n_parts && !is_same_part(m, &c->parts[i], &p))
		i++;
	if (i == c->n_parts)
		c->parts[c->n_parts++] = p;
	if (l->line < c->parts[i].least)
		c->parts[i].least = l->line;
	if (l->line > c->parts[i].greatest)
		c->parts[i].greatest = l->line;
	return i;
}

static uint32_t calls_around(const struct ptx_module *m, const struct ptx_location *l)
{
	uint32_t n = 0;

	for (; l->inlined_at < m->location_count; l = &m->locations[l->inlined_at])
		n++;
	return n;
}

/* The line of the function's name; NULL: it is not known. */
static const struct ptx_location *find_opening(const struct ptx_module *m, const struct ptx_body *b)
{
	const struct ptx_location *l;

	if (b->opening >= m->location_count)
		return NULL;
	l = &m->locations[b->opening];
	return l->column || l->inlined_at != PTX_NONE ? NULL : l;
}

static void find_places(struct debug_code *c)
{
	const struct ptx_module *m = c->program->function->module;
	const struct ptx_body *b = c->program->function->body;
	const struct ptx_location *opening = find_opening(m, b);
	uint32_t loc = PTX_NONE, runs = 0;
	bool was_foreign = false;

	if (opening)
		find_part(c, m, opening, 0);
	for (uint32_t i = 0; i < b->instruction_count; i++) {
		const struct ptx_location *l;
		bool foreign;

		if (b->instructions[i].loc >= m->location_count)
			continue;
		if (i && b->instructions[i].loc == loc) {
			c->places[i] = c->places[i - 1];
			continue;
		}
		loc = b->instructions[i].loc;
		l = &m->locations[loc];
		foreign = opening && l->inlined_at == PTX_NONE &&
			  (l->file != opening->file || l->line < opening->line);
		runs += foreign && !was_foreign;
		was_foreign = foreign;
		c->places[i] = (struct debug_place){
			.line = l->line,
			.file = l->file,
			.part = find_part(c, m, l, foreign ? runs : 0),
			.inlined = foreign ? 1 : calls_around(m, l),
			.code = l->column != 0,
			.cell = is_cell(file_name(m, l->file)),
		};
	}
}

struct debug_code *debug_code_new(const struct ptx_program *p)
{
	struct debug_code *c = calloc(1, sizeof(*c));
	uint32_t n = p->function->body->instruction_count;

	if (!c)
		return NULL;
	c->program = p;
	c->places = calloc(n + 1, sizeof(*c->places));
	c->parts = calloc(n + 2, sizeof(*c->parts));
	c->stops = calloc(p->op_count + 1, sizeof(*c->stops));
	if (!c->places || !c->parts || !c->stops) {
		debug_code_free(c);
		return NULL;
	}
	find_places(c);
	return c;
}

void debug_code_free(struct debug_code *c)
{
	if (!c)
		return;
	free(c->places);
	free(c->parts);
	free(c->stops);
	free(c);
}

const struct debug_place *debug_code_place(const struct debug_code *c, const struct op *o)
{
	if (o->source >= c->program->function->body->instruction_count ||
	    !c->places[o->source].line)
		return NULL;
	return &c->places[o->source];
}

/* Tells whether some function of the module has code in exactly this line. */
static bool has_code(const struct ptx_module *m, const struct device_breakpoint *b)
{
	for (size_t i = 0; i < m->location_count; i++)
		if (m->locations[i].line == b->line && m->locations[i].column &&
		    !strcmp(file_name(m, m->locations[i].file), b->file))
			return true;
	return false;
}

/* Marks the first operation of the lowest line from `line` to `last`. Observers see what a prefix
 * belongs to in place of it. */
static void set_in_part(struct debug_code *c, uint32_t part, uint32_t line, uint32_t last)
{
	uint32_t best = UINT32_MAX, at = 0;

	for (uint32_t i = 0; i < c->program->op_count; i++) {
		const struct debug_place *p = debug_code_place(c, &c->program->ops[i]);

		if (!p || !p->code || p->part != part || p->line < line || p->line > last ||
		    p->line >= best)
			continue;
		best = p->line;
		at = i;
	}
	if (best == UINT32_MAX)
		return;
	while (at + 1 < c->program->op_count &&
	       access_family(&c->program->ops[at]) == ACCESS_PREFIX)
		at++;
	c->stops[at] = true;
}

/* A line that is another function's, as that of a lambda, is not moved on to the next one. */
static void set_breakpoint(struct debug_code *c, const struct device_breakpoint *b)
{
	const struct ptx_module *m = c->program->function->module;
	bool exact = has_code(m, b);

	for (uint32_t i = 0; i < c->n_parts; i++) {
		const struct debug_part *p = &c->parts[i];

		if (p->least <= b->line && b->line <= p->greatest &&
		    !strcmp(file_name(m, p->file), b->file))
			set_in_part(c, i, b->line, exact ? b->line : p->greatest);
	}
}

void debug_code_set(struct debug_code *c, const struct device_debugger *d)
{
	memset(c->stops, 0, c->program->op_count * sizeof(*c->stops));
	for (uint32_t i = 0; i < d->n; i++)
		set_breakpoint(c, &d->at[i]);
}
