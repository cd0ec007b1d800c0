/* SPDX-License-Identifier: Apache-2.0 */
/* Debugging information as cgpu-presenter reads it, of an object that a cell may have written byte
 * by byte (inline assembly). Input: the object. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/code/type-code.h"
#include "kernel/presenter/debug-layout.h"
#include "kernel/presenter/debug-value.h"
#include "kernel/presenter/session-view.h"
#include "kernel/presenter/unit-debug.h"
#include "tests/fuzz/fuzz.h"

#define PLACES 8
#define REGISTERS 33

static const uint64_t registers[REGISTERS];

static void use_value(const struct debug_frame *f, Dwarf_Die *variable)
{
	cleanup_buffer struct buffer out = BUFFER_INIT;
	struct debug_value v, part;

	if (!debug_value_of(f, variable, 0, &v))
		return;
	debug_value_type_name(&v, &out);
	debug_value_format(f, &v, &out);
	debug_value_count(&v);
	if (debug_value_element(f, &v, 1, &part))
		debug_value_format(f, &part, &out);
	if (debug_value_member(f, &v, "values", &part))
		debug_value_count(&part);
}

static bool use_variable(void *data, const char *name, Dwarf_Die *variable)
{
	cleanup_buffer struct buffer code = BUFFER_INIT;

	use_value(data, variable);
	if (debug_layout_put_type_of(variable, &code) && !type_code_skip(buffer_text(&code)))
		__builtin_trap();
	return *name != '\0';
}

/* Returns whether the function is known there. */
static bool use_place(struct unit_debug *d, struct session_view *view, uint32_t offset)
{
	static const char *const names[] = { "n", "list", "value", "count" };
	struct unit_place places[PLACES];
	uint64_t address = unit_debug_address(d, "walk", offset);
	unsigned n = unit_debug_places(d, "walk", offset, "debug-seed.c", places, PLACES);
	struct debug_frame f = { .view = view,
				 .address = address,
				 .registers = registers,
				 .known = (1ull << REGISTERS) - 1 };
	Dwarf_Die variable;
	bool global;

	for (unsigned p = 0; p < n; p++) {
		f.function = places[n - 1].scope;
		unit_debug_each_local(d, address, p, use_variable, &f);
	}
	unit_debug_each_global(d, use_variable, &f);
	for (unsigned p = 0; p < n; p++)
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
			f.function = places[n - 1].scope;
			if (unit_debug_variable(d, address, p, names[i], &variable, &global))
				use_value(&f, &variable);
		}
	return n > 0;
}

/* Codes are well-formed, or there are none. */
static void use_layout(struct unit_debug *d, const char *name)
{
	cleanup_buffer struct buffer out = BUFFER_INIT;
	bool is_known = *name == 's' ? debug_layout_put(d, name, strlen(name), &out)
				     : debug_layout_put_variable(d, name, &out);

	if (is_known ? !out.failed && !type_code_skip(buffer_text(&out)) : out.len)
		__builtin_trap();
}

static bool one(const uint8_t *data, size_t size)
{
	struct session_view view = { .sock = -1 };
	struct unit_debug *d = unit_debug_new(data, size, NULL);
	Dwarf_Die variable;
	uint64_t offset;
	uint32_t index;
	bool known = false;

	if (!d)
		return false;
	for (uint32_t at = 0; at < 64; at += 7)
		known = use_place(d, &view, at) || known;
	if (unit_debug_global(d, "count", &variable))
		unit_debug_section(d, unit_debug_address(d, "walk", 0), &index, &offset);
	use_layout(d, "s48(node)");
	use_layout(d, "count");
	unit_debug_free(d);
	session_view_release(&view);
	return known;
}

static bool seed(unsigned i, struct buffer *to)
{

	if (i)
		return false;
	fuzz_read(DEBUG_SEED, to);
	return true;
}

const struct fuzz_target fuzz_debug = { one, seed, 3000 };
