/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The emulated driver says where the memory of each lane lies in the worker, and its image has the
 * debugging information of the device code, which nothing has optimised: each variable lies in
 * local memory, or is an array of shared memory. The same variable of another lane lies a stride
 * further.
 */
#include "kernel/presenter/device-view.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/code/type-code.h"
#include "common/cuda/device-stop.h"
#include "common/text/demangle.h"
#include "kernel/presenter/debug-layout.h"
#include "kernel/presenter/debug-value.h"
#include "kernel/presenter/local-view.h"
#include "kernel/presenter/session-view.h"
#include "kernel/presenter/unit-debug.h"
#include "kernel/views/presenter-frame.h"
#include "kernel/views/presenter-part.h"
#include "kernel/views/presenter-value.h"
#include "kernel/views/value-format.h"

#define IMAGE_MAX (64u << 20)
#define LANE_TEXT_MAX 40 /* of a value beside those of other lanes */
#define LANE_BYTES_MAX 16

static bool read_stop(uint64_t address, struct session_view *view, struct device_stop *ret)
{
	if (!session_view_read(view, address, ret, sizeof(*ret)) ||
	    ret->n_frames > DEVICE_STOP_FRAMES || ret->lane >= DEVICE_STOP_LANES)
		return false;
	for (uint32_t i = 0; i < ret->n_frames; i++) {
		ret->frames[i].function[sizeof(ret->frames[i].function) - 1] = '\0';
		ret->frames[i].file[sizeof(ret->frames[i].file) - 1] = '\0';
	}
	return true;
}

static void set_windows(struct session_view *view, const struct device_stop *s)
{
	memcpy(view->windows, s->windows, sizeof(view->windows));
}

void device_view_open(struct session_view *view, uint64_t stop)
{
	cleanup_free struct device_stop *s = stop ? malloc(sizeof(*s)) : NULL;

	if (s && read_stop(stop, view, s))
		set_windows(view, s);
}

/* ---- calls ---- */

/* Writes the name of a call; the innermost says which thread it is. */
static void name_call(const struct device_stop *s, uint32_t i, char *ret, size_t size)
{
	const uint32_t *b = s->block, *t = s->thread;
	size_t len;

	demangle(s->frames[i].function, ret, size);
	len = strlen(ret);
	if (!i)
		snprintf(ret + len, size - len,
			 " [block (%" PRIu32 ",%" PRIu32 ",%" PRIu32 "), thread (%" PRIu32
			 ",%" PRIu32 ",%" PRIu32 ")]",
			 b[0], b[1], b[2], t[0], t[1], t[2]);
}

static void put_call(const struct device_stop *s, uint32_t i, struct buffer *out)
{
	const struct device_stop_frame *f = &s->frames[i];
	char name[sizeof(f->function) + 100];
	struct presenter_frame made = { .function = name,
					.line = f->line,
					.frame = PRESENTER_FRAME_DEVICE + i };

	name_call(s, i, name, sizeof(name));
	presenter_frame_set_text(&made, f->file);
	presenter_frame_put(&made, out);
}

void device_view_calls(uint64_t stop, struct session_view *view, struct buffer *out)
{
	cleanup_free struct device_stop *s = malloc(sizeof(*s));

	if (!s || !read_stop(stop, view, s))
		return;
	for (uint32_t i = 0; i < s->n_frames; i++)
		put_call(s, i, out);
}

/* ---- variables ---- */

struct locals {
	const struct device_stop *stop;
	const struct device_stop_frame *call;
	struct session_view *view;
	struct buffer *out;
	uint32_t cell; /* whose text has the call, 0: none */
	unsigned n;
	/* Who visits them. */
	bool (*fn)(void *data, const struct debug_frame *f, const char *name, Dwarf_Die *variable);
	void *data;
};

/* Where a variable's address counts from. */
struct base {
	uint64_t start, size; /* size 0: not known */
};

static uint64_t place_of(void *data, uint64_t address)
{
	const struct base *b = data;

	if (!b->start || (b->size && address >= b->size))
		return 0;
	return b->start + address;
}

static uint64_t class_of(Dwarf_Die *variable)
{
	Dwarf_Attribute a;
	Dwarf_Word class;

	if (dwarf_formudata(dwarf_attr_integrate(variable, DW_AT_address_class, &a), &class))
		return 0;
	return class;
}

static struct base base_of(const struct locals *l, Dwarf_Die *variable, uint32_t lane)
{
	const struct device_stop *s = l->stop;
	const struct device_stop_window *shared = &s->windows[DEVICE_WINDOW_SHARED];
	uint64_t away = ((uint64_t)lane - s->lane) * s->lane_stride;

	switch (class_of(variable)) {
	case DEVICE_CLASS_LOCAL:
		return (struct base){ .start = l->call->local + away };
	case DEVICE_CLASS_SHARED:
		return (struct base){ shared->bytes, shared->size };
	default:
		return (struct base){ 0 };
	}
}

static struct debug_frame frame_of(const struct locals *l, struct base *base)
{
	return (struct debug_frame){
		.view = l->view, .address = l->call->address, .place = place_of, .place_data = base
	};
}

static bool put_of_thread(void *data, const char *name, Dwarf_Die *variable)
{
	struct locals *l = data;
	struct base base = base_of(l, variable, l->stop->lane);
	const struct debug_frame f = frame_of(l, &base);

	local_view_put(&f, l->cell, name, variable, 0, l->out);
	return ++l->n < LOCAL_VIEWS_MAX;
}

/* Appends the value of a scalar, as it is written for one thread. */
static bool put_scalar(const struct debug_frame *f, const struct debug_value *v, const char *code,
		       struct buffer *out)
{
	char bytes[LANE_BYTES_MAX];
	const struct presenter_value value = {
		.type = "", .code = code, .bytes = bytes, .len = v->size, .max = LANE_TEXT_MAX
	};

	if (!*code || !strchr("bciufLUe", *code) || !v->has_address || v->size > sizeof(bytes) ||
	    type_code_size(code) != v->size)
		return debug_value_format(f, v, out);
	if (!session_view_read(f->view, v->address, bytes, v->size))
		return false;
	value_format(&value, NULL, out);
	return true;
}

/* Appends the value that a lane has. False: it is no scalar that can be read. */
static bool put_lane(const struct locals *l, Dwarf_Die *variable, const char *code, uint32_t lane,
		     struct buffer *out)
{
	struct base base = base_of(l, variable, lane);
	const struct debug_frame f = frame_of(l, &base);
	struct debug_value v;

	return debug_value_of(&f, variable, 0, &v) && put_scalar(&f, &v, code, out);
}

/* Appends what the lanes have, "-" for one that is elsewhere in the code. */
static bool put_lanes(const struct locals *l, Dwarf_Die *variable, struct buffer *out)
{
	cleanup_buffer struct buffer own = BUFFER_INIT, other = BUFFER_INIT, code = BUFFER_INIT;
	bool are_equal = true;

	debug_layout_put_type_of(variable, &code);
	if (!put_lane(l, variable, buffer_text(&code), l->stop->lane, &own))
		return false;
	for (uint32_t i = 0; i < DEVICE_STOP_LANES; i++) {
		bool is_here = l->stop->lanes >> i & 1;

		buffer_clear(&other);
		if (is_here && !put_lane(l, variable, buffer_text(&code), i, &other))
			return false;
		are_equal &= !is_here || !strcmp(buffer_text(&own), buffer_text(&other));
		buffer_printf(out, "%s%.*s", i ? " " : "", LANE_TEXT_MAX,
			      is_here ? buffer_text(&other) : "-");
	}
	if (are_equal) {
		buffer_clear(out);
		buffer_printf(out, "%s in all lanes", buffer_text(&own));
	}
	return true;
}

static bool put_of_warp(void *data, const char *name, Dwarf_Die *variable)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;
	struct locals *l = data;

	if (class_of(variable) != DEVICE_CLASS_LOCAL || !put_lanes(l, variable, &text))
		return true;
	presenter_part_put(
		&(struct presenter_part){
			.name = name, .type = "32 lanes", .code = "", .text = buffer_text(&text) },
		l->out);
	return ++l->n < LOCAL_VIEWS_MAX;
}

/* What the code can name without a declaration: three numbers of the record. */
static const struct built_in {
	const char *name;
	size_t offset;
} built_in[] = {
	{ "threadIdx", offsetof(struct device_stop, thread) },
	{ "blockIdx", offsetof(struct device_stop, block) },
	{ "blockDim", offsetof(struct device_stop, block_size) },
	{ "gridDim", offsetof(struct device_stop, grid) },
};

#define BUILT_IN (sizeof(built_in) / sizeof(built_in[0]))

static void put_built_in(const struct device_stop *s, const struct built_in *b, struct buffer *out)
{
	uint32_t value[3];
	char text[48];

	memcpy(value, (const char *)s + b->offset, sizeof(value));
	snprintf(text, sizeof(text), "(%" PRIu32 ", %" PRIu32 ", %" PRIu32 ")", value[0], value[1],
		 value[2]);
	presenter_part_put(
		&(struct presenter_part){
			.name = b->name, .type = "uint3", .code = "", .text = text },
		out);
}

uint64_t device_view_built_in(uint64_t stop, const char *name)
{
	for (size_t i = 0; i < BUILT_IN; i++) {
		size_t len = strlen(built_in[i].name);

		if (!strncmp(name, built_in[i].name, len) && name[len] == '.' &&
		    name[len + 1] >= 'x' && name[len + 1] <= 'z')
			return stop + built_in[i].offset +
			       (uint64_t)(name[len + 1] - 'x') * sizeof(uint32_t);
	}
	return 0;
}

static struct unit_debug *read_image(const struct device_stop *s, struct session_view *view)
{
	cleanup_free char *image = NULL;

	if (!s->image || !s->image_size || s->image_size > IMAGE_MAX)
		return NULL;
	image = malloc(s->image_size);
	if (!image || !session_view_read(view, s->image, image, s->image_size))
		return NULL;
	return unit_debug_new(image, s->image_size, NULL);
}

/* Returns which of the calls that were inlined at one place it is, the innermost 0. */
static unsigned place_in(const struct device_stop *s, uint32_t frame)
{
	unsigned place = 0;

	while (frame && s->frames[frame - 1].address == s->frames[frame].address) {
		frame--;
		place++;
	}
	return place;
}

/* Visits the variables of a call; a call that is not there has none. */
static void each_variable(struct locals *l, uint32_t frame,
			  bool (*fn)(void *data, const char *name, Dwarf_Die *variable))
{
	struct unit_debug *debug;

	l->call = &l->stop->frames[frame];
	set_windows(l->view, l->stop);
	sscanf(l->call->file, "In[%" SCNu32, &l->cell);
	debug = read_image(l->stop, l->view);
	if (debug)
		unit_debug_each_local(debug, l->call->address, place_in(l->stop, frame), fn, l);
	unit_debug_free(debug);
}

void device_view_locals(uint64_t stop, uint32_t frame, uint32_t whose, struct session_view *view,
			struct buffer *out)
{
	cleanup_free struct device_stop *s = malloc(sizeof(*s));
	struct locals l = { .stop = s, .view = view, .out = out };

	if (!s || !read_stop(stop, view, s) || frame >= s->n_frames)
		return;
	each_variable(&l, frame, whose == PRESENTER_OF_WARP ? put_of_warp : put_of_thread);
	for (size_t i = 0; whose == PRESENTER_OF_THREAD && i < BUILT_IN; i++)
		put_built_in(s, &built_in[i], out);
}

static bool visit(void *data, const char *name, Dwarf_Die *variable)
{
	struct locals *l = data;
	struct base base = base_of(l, variable, l->stop->lane);
	const struct debug_frame f = frame_of(l, &base);

	return l->fn(l->data, &f, name, variable);
}

void device_view_each_local(uint64_t stop, uint32_t frame, struct session_view *view,
			    bool (*fn)(void *data, const struct debug_frame *f, const char *name,
				       Dwarf_Die *variable),
			    void *data)
{
	cleanup_free struct device_stop *s = malloc(sizeof(*s));
	struct locals l = { .stop = s, .view = view, .fn = fn, .data = data };

	if (s && read_stop(stop, view, s) && frame < s->n_frames)
		each_variable(&l, frame, visit);
}
