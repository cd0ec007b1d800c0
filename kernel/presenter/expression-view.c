/* SPDX-License-Identifier: Apache-2.0 */
/* The debugging information says where the variables are that a program names; those of a call hide
 * others of the same name, so the line of the declaration tells them apart. */
#include "kernel/presenter/expression-view.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/code/bound-expression.h"
#include "common/protocol/worker-protocol.h"
#include "kernel/presenter/debug-value.h"
#include "kernel/presenter/device-view.h"
#include "kernel/presenter/fault-frames.h"
#include "kernel/presenter/session-view.h"
#include "kernel/presenter/unit-debug.h"
#include "kernel/presenter/view-make.h"
#include "kernel/views/presenter-frame.h"
#include "kernel/views/presenter-part.h"
#include "kernel/views/presenter-value.h"
#include "kernel/views/presenter-view.h"

/* The frame pointer of x86-64 by DWARF's numbers: cells stop there alone. */
#define FRAME_POINTER 6

/* Where a variable lies. */
struct found {
	enum { NOWHERE, BY_NAME, BY_LINE } by;
	uint64_t address;
	enum bound_place place;
};

struct looking {
	struct session_view *view;
	const struct debug_frame *frame; /* of a call of the host, while it is looked into */
	struct expression expression;
	struct found locals[EXPRESSION_NAMES_MAX];
	uint64_t variables[EXPRESSION_NAMES_MAX]; /* of the call's own unit; 0: it is not one */
	uint64_t address; /* of the instruction at which a call of the host is; 0: of the device */
	uint64_t frame_pointer; /* of that call; 0: not known */
	uint32_t cell;          /* whose text has the call; 0: none */
};

static void compare(struct looking *l, uint32_t i, const struct debug_frame *f, Dwarf_Die *variable)
{
	const struct expression_name *wanted = &l->expression.locals[i];
	struct found *found = &l->locals[i];
	bool is_line = false;
	struct debug_value v;
	int line;

	if (wanted->line && !dwarf_decl_line(variable, &line))
		is_line = (uint32_t)line == wanted->line;
	if (found->by == BY_LINE || (found->by == BY_NAME && !is_line) ||
	    !debug_value_of(f, variable, 0, &v) || !v.has_address)
		return;
	*found = (struct found){ is_line ? BY_LINE : BY_NAME, v.address, v.place };
}

/* Looks into the object of a lambda, which is what its `this` points to; a variable that it has by
 * reference lies where the member points to. */
static void find_captured(struct looking *l, const struct debug_frame *f, Dwarf_Die *self)
{
	struct debug_value pointer, object, member;

	if (!debug_value_of(f, self, 0, &pointer) || !debug_value_is_pointer(&pointer) ||
	    !debug_value_element(f, &pointer, 0, &object))
		return;
	for (uint32_t i = 0; i < l->expression.n_locals; i++) {
		const struct expression_name *wanted = &l->expression.locals[i];
		struct found *found = &l->locals[i];

		if (wanted->line != EXPRESSION_CAPTURED ||
		    !debug_value_member(f, &object, wanted->name, &member))
			continue;
		found->address = member.address;
		found->by = BY_NAME;
		found->place = BOUND_NOWHERE;
		if (debug_value_is_reference(&member) &&
		    !session_view_read(l->view, member.address, &found->address,
				       sizeof(found->address)))
			found->by = NOWHERE;
	}
}

static bool on_local(void *data, const struct debug_frame *f, const char *name, Dwarf_Die *variable)
{
	struct looking *l = data;

	for (uint32_t i = 0; i < l->expression.n_locals; i++)
		if (!strcmp(l->expression.locals[i].name, name) &&
		    l->expression.locals[i].line != EXPRESSION_CAPTURED)
			compare(l, i, f, variable);
	if (!strcmp(name, "this"))
		find_captured(l, f, variable);
	return true;
}

static bool on_local_of_host(void *data, const char *name, Dwarf_Die *variable)
{
	const struct looking *l = data;

	return on_local(data, l->frame, name, variable);
}

static bool on_variable(void *data, const char *name, Dwarf_Die *variable)
{
	struct looking *l = data;
	const char *symbol = unit_debug_symbol(variable, name);
	struct debug_value v;

	for (uint32_t i = 0; i < l->expression.n_variables; i++)
		if (!strcmp(l->expression.variables[i], symbol) &&
		    debug_value_of(l->frame, variable, session_view_address(l->view, symbol), &v) &&
		    v.has_address)
			l->variables[i] = v.address;
	return true;
}

static void find_on_host(struct looking *l, const struct fault_record *f,
			 const struct expression_question *q)
{
	struct fault_call calls[FAULT_CALLS_MAX];
	unsigned n = q->frame < f->n_frames ? fault_frames_calls(f, q->frame, l->view, calls) : 0;
	struct unit_debug *debug;

	if (q->call >= n || !calls[q->call].unit || !calls[q->call].has_scene)
		return;
	l->cell = calls[q->call].unit->record->unit.cell;
	l->address = f->frames[q->frame].pc;
	l->frame = &calls[q->call].scene.frame;
	if (l->frame->known >> FRAME_POINTER & 1)
		l->frame_pointer = l->frame->registers[FRAME_POINTER];
	debug = session_unit_debug(calls[q->call].unit);
	if (debug) {
		unit_debug_each_local(debug, l->frame->address, calls[q->call].scene.place,
				      on_local_of_host, l);
		unit_debug_each_global(debug, on_variable, l);
	}
	l->frame = NULL;
}

static void find_on_device(struct looking *l, uint64_t stop, uint32_t frame)
{
	device_view_each_local(stop, frame, l->view, on_local, l);
	for (uint32_t i = 0; i < l->expression.n_locals; i++) {
		uint64_t address = device_view_built_in(stop, l->expression.locals[i].name);

		if (address)
			l->locals[i] = (struct found){ BY_NAME, address, BOUND_NOWHERE };
	}
}

/* ---- what the program asks for ---- */

static bool local(void *data, uint32_t index, uint64_t *ret)
{
	const struct looking *l = data;

	*ret = l->locals[index].address;
	return l->locals[index].by != NOWHERE;
}

static bool variable(void *data, uint32_t index, uint64_t *ret)
{
	const struct looking *l = data;

	*ret = l->variables[index] ? l->variables[index]
				   : session_view_address(l->view, l->expression.variables[index]);
	return *ret != 0;
}

static bool read_memory(void *data, uint64_t address, void *ret, size_t len)
{
	const struct looking *l = data;

	return session_view_read(l->view, address, ret, len);
}

/* ---- other calls ---- */

static struct bound_name bind_local(const struct looking *l, const struct found *found)
{
	bool is_in_frame = found->place == BOUND_IN_FRAME;

	if (found->by == NOWHERE || (is_in_frame && !l->frame_pointer))
		return (struct bound_name){ BOUND_NOWHERE, 0 };
	return (struct bound_name){ found->place,
				    found->address - (is_in_frame ? l->frame_pointer : 0) };
}

/* Appends the program for other calls; nothing if its variables lie elsewhere there. */
static void bind(struct looking *l, const struct expression_question *q, struct buffer *out)
{
	cleanup_free struct bound_names *names = calloc(1, sizeof(*names));

	if (names)
		names->address = l->address;
	for (uint32_t i = 0; names && i < l->expression.n_locals; i++)
		names->locals[i] = bind_local(l, &l->locals[i]);
	for (uint32_t i = 0; names && i < l->expression.n_variables; i++)
		names->variables[i].place =
			variable(l, i, &names->variables[i].value) ? BOUND_FIXED : BOUND_NOWHERE;
	if (names && l->address)
		bound_expression_put(names, &l->expression, q->program, q->len, out);
}

/* ---- the value ---- */

/* A value that lies nowhere has no parts. */
static void put_text(const struct looking *l, const struct expression_value *v, struct buffer *out)
{
	const struct presenter_value value = { .type = l->expression.type,
					       .code = l->expression.type_code,
					       .bytes = v->bytes,
					       .len = v->size,
					       .pointers = PRESENTER_POINTERS_OWNERS };
	struct presenter_view made = { 0 };
	struct presenter_part part = { .name = "", .type = l->expression.type, .code = "" };

	view_make_value(&value, l->view, &made);
	part.text = buffer_text(&made.text);
	presenter_part_put(&part, out);
	presenter_view_release(&made);
}

static void put(struct looking *l, const struct expression_value *v,
		const struct expression_question *q, struct buffer *out)
{
	cleanup_buffer struct buffer bound = BUFFER_INIT;
	struct presenter_result result = { .failure = "" };
	struct presenter_part part = { .name = "",
				       .type = l->expression.type,
				       .code = l->expression.type_code,
				       .cell = l->cell,
				       .address = v->address };

	bind(l, q, &bound);
	result.is_true = expression_is_true(&l->expression, v);
	result.bound = bound.data;
	result.bound_len = bound.len;
	presenter_result_begin(&result, out);
	if (v->is_place)
		view_make_variable(&part, true, l->view, out);
	else
		put_text(l, v, out);
}

static void put_failure(const char *why, struct buffer *out)
{
	presenter_result_begin(&(struct presenter_result){ .failure = why }, out);
}

void expression_view_put(const struct fault_record *f, const struct expression_question *q,
			 struct session_view *view, struct buffer *out)
{
	cleanup_free struct looking *l = calloc(1, sizeof(*l));
	const struct expression_host host = { local, variable, read_memory, l };
	struct error err = ERROR_INIT;
	struct expression_value v;

	if (!l) {
		put_failure("out of memory for an expression", out);
		return;
	}
	l->view = view;
	if (!expression_open(q->program, q->len, &l->expression, &err)) {
		if (q->frame >= PRESENTER_FRAME_DEVICE && f->device)
			find_on_device(l, f->device, q->frame - PRESENTER_FRAME_DEVICE);
		else
			find_on_host(l, f, q);
	}
	if (err.code || expression_run(&l->expression, &host, &v, &err))
		put_failure(err.text, out);
	else
		put(l, &v, q, out);
}
