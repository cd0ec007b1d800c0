/* SPDX-License-Identifier: Apache-2.0 */
/* Code for a debugger is not optimised: a function begins with a row for its prologue, and the next
 * row is where its parameters are in their places. */
#include "runtime/debugger/code-lines.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "runtime/faults/backtrace.h"
#include "runtime/loader/loader.h"
#include "runtime/loader/units.h"

/* The rows of one function, by offset. */
struct rows {
	const struct unit_code *unit;
	const struct unit_code_line *at;
	uint32_t n;
	uint32_t start; /* offset of the function */
};

/* A stub of a CUDA kernel has its line but none of its code, and clang's functions that call those
 * with the statements of a C++ cell, one after another, have theirs. */
static bool is_passed_by(const struct unit_function *f)
{
	static const char *const callers[] = { "__stmts__", "_GLOBAL__sub_I_" };

	for (size_t i = 0; f->name && i < sizeof(callers) / sizeof(callers[0]); i++)
		if (!strncmp(f->name, callers[i], strlen(callers[i])))
			return true;
	return !f->name || backtrace_is_stub(f->name);
}

/* Without rows where one does not stop. */
static struct rows rows_of(const struct unit_code *u, const struct unit_function *f)
{
	uint32_t low = 0, high = u->n_lines, end = f->offset + f->size;
	struct rows r = { .unit = u, .start = f->offset };

	if (is_passed_by(f))
		return r;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (u->lines[middle].offset < f->offset)
			low = middle + 1;
		else
			high = middle;
	}
	r.at = u->lines + low;
	while (low + r.n < u->n_lines && r.at[r.n].offset < end)
		r.n++;
	return r;
}

/* Returns the offset of the body; 0: it is not known. */
static uint32_t body_of(const struct rows *r)
{
	bool has_line = false;

	for (uint32_t i = 0; i < r->n; i++) {
		if (has_line && r->at[i].offset > r->start)
			return r->at[i].offset;
		has_line |= r->at[i].line != 0;
	}
	return 0;
}

/* Returns the offset at which one stops for row i; 0: nowhere. */
static uint32_t place_of(const struct rows *r, uint32_t i)
{
	if (!r->at[i].line)
		return 0;
	return r->at[i].offset > r->start ? r->at[i].offset : body_of(r);
}

/* Returns the least line of the unit, from `line` on, that has code; 0: there is none. */
static uint32_t next_line(const struct unit_code *u, uint32_t line)
{
	uint32_t best = 0;

	for (uint32_t i = 0; i < u->n_lines; i++) {
		uint32_t at = u->lines[i].line;

		if (at >= line && at && (!best || at < best))
			best = at;
	}
	return best;
}

uint32_t code_lines_next(uint32_t cell, uint32_t line)
{
	uint32_t n, best = 0;
	const struct unit_code *units = units_all(&n);

	for (uint32_t k = 0; k < n; k++) {
		uint32_t found = units[k].cell == cell ? next_line(&units[k], line) : 0;

		if (found && (!best || found < best))
			best = found;
	}
	return best ? best : line;
}

static void visit_line(const struct rows *r, uint32_t line, const struct code_lines_visitor *v)
{
	for (uint32_t i = 0; i < r->n; i++) {
		uint32_t place = r->at[i].line == line ? place_of(r, i) : 0;

		if (!place)
			continue;
		v->fn(v->data, r->unit->start + place);
		return;
	}
}

void code_lines_each_start(uint32_t cell, uint32_t line, const struct code_lines_visitor *v)
{
	uint32_t n;
	const struct unit_code *units = units_all(&n);

	for (uint32_t k = 0; k < n; k++) {
		uint32_t found = units[k].cell == cell ? next_line(&units[k], line) : 0;

		for (uint32_t i = 0; found && i < units[k].n_functions; i++) {
			struct rows r = rows_of(&units[k], &units[k].functions[i]);

			visit_line(&r, found, v);
		}
	}
}

void code_lines_each_of_function(uint64_t pc, uint32_t but, const struct code_lines_visitor *v)
{
	const struct unit_code *u = units_find(pc);
	uint32_t offset = u ? (uint32_t)(pc - u->start) : 0;

	for (uint32_t i = 0; u && i < u->n_functions; i++) {
		const struct unit_function *f = &u->functions[i];
		struct rows r;

		if (offset - f->offset >= f->size)
			continue;
		r = rows_of(u, f);
		for (uint32_t k = 0; k < r.n; k++) {
			uint32_t place = r.at[k].line != but ? place_of(&r, k) : 0;

			if (place)
				v->fn(v->data, u->start + place);
		}
	}
}

void code_lines_each_body(const struct code_lines_visitor *v)
{
	uint32_t n;
	const struct unit_code *units = units_all(&n);

	for (uint32_t k = 0; k < n; k++) {
		for (uint32_t i = 0; i < units[k].n_functions; i++) {
			struct rows r = rows_of(&units[k], &units[k].functions[i]);
			uint32_t body = body_of(&r);

			if (body)
				v->fn(v->data, units[k].start + body);
		}
	}
}

uint32_t code_lines_at(uint64_t pc)
{
	struct code_place place;

	return loader_describe_code(pc, &place) ? 0 : place.line;
}
