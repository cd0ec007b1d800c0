/* SPDX-License-Identifier: Apache-2.0 */
/* A variable in memory is a part like any other, and can be looked into; of one in a register or a
 * constant the value is told. */
#include "kernel/presenter/local-view.h"

#include <stdbool.h>

#include "common/base/buffer.h"
#include "kernel/presenter/debug-layout.h"
#include "kernel/presenter/debug-value.h"
#include "kernel/presenter/session-view.h"
#include "kernel/presenter/view-make.h"
#include "kernel/views/presenter-part.h"
#include "kernel/views/type-text.h"

static void put_value(const struct debug_frame *f, const struct debug_value *v,
		      struct presenter_part *part, struct buffer *out)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;

	if (v->has_address) {
		view_make_variable(part, true, f->view, out);
		return;
	}
	if (!debug_value_format(f, v, &text))
		buffer_puts(&text, "<not available>");
	part->code = "";
	part->text = buffer_text(&text);
	presenter_part_put(part, out);
}

void local_view_put(const struct debug_frame *f, uint32_t cell, const char *name,
		    Dwarf_Die *variable, uint64_t place, struct buffer *out)
{
	cleanup_buffer struct buffer type = BUFFER_INIT, code = BUFFER_INIT;
	struct debug_value v = { 0 };
	struct presenter_part part = { .name = name, .cell = cell };

	if (!debug_value_of(f, variable, place, &v))
		v.has_address = v.has_bits = false;
	if (debug_layout_put_type_of(variable, &code))
		type_text_put(buffer_text(&code), &type);
	else
		debug_value_type_name(&v, &type);
	part.type = buffer_text(&type);
	part.code = buffer_text(&code);
	part.address = v.address;
	put_value(f, &v, &part, out);
}
