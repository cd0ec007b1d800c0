/* SPDX-License-Identifier: Apache-2.0 */
/* The record is validated: counts are bounded, texts may lack their terminator. */
#include "kernel/presenter/fault-frames.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/protocol/worker-protocol.h"
#include "common/text/demangle.h"
#include "kernel/base/text-style.h"
#include "kernel/presenter/session-view.h"
#include "kernel/presenter/unit-debug.h"

#define FRAMES_SHOWN 24
#define LIBRARY_SHOWN 4

struct printer {
	const struct fault_record *f;
	struct session_view *view;
	const char *values; /* NULL once they are printed */
	unsigned shown;
	/* The cell whose statements were shown last; NULL: a function was shown last. */
	const struct session_unit *top_level;
	struct buffer *out;
};

static uint32_t count(const struct fault_record *f)
{
	return f->n_frames < FAULT_FRAMES_MAX ? f->n_frames : FAULT_FRAMES_MAX;
}

static void set_scene(struct fault_call *c, const struct fault_record *f, uint32_t i)
{
	struct debug_frame *frame = &c->scene.frame;

	if (!c->scene.view || !c->scene.view->has_memory || !frame->address ||
	    i >= FAULT_REGISTER_FRAMES || i >= f->n_registers)
		return;
	c->has_scene = true;
	frame->view = c->scene.view;
	frame->registers = f->registers[i];
	frame->known = f->known[i];
}

static void set_function(struct fault_call *c, const char *name)
{
	demangle(name, c->function, sizeof(c->function));
	c->top_level = unit_holds_statements(name);
}

/* Finds the address of a variable that only the unit knows, such as a `static` in a function. */
static uint64_t place_of(void *data, uint64_t address)
{
	const struct session_unit *unit = data;
	struct unit_debug *debug = session_unit_debug(unit);
	uint64_t offset, start;
	uint32_t section;

	if (!debug || !unit_debug_section(debug, address, &section, &offset))
		return 0;
	start = unit_record_section(unit->record, section);
	return start ? start + offset : 0;
}

/* Finds the calls at this instruction, innermost first. */
static unsigned calls_of(const struct fault_frame *frame, struct session_view *view,
			 struct fault_call *ret)
{
	const struct session_unit *unit = session_view_unit(view, frame->cell);
	struct unit_debug *debug = unit ? session_unit_debug(unit) : NULL;
	struct unit_place places[FAULT_CALLS_MAX];
	char name[sizeof(frame->name) + 1];
	unsigned n;

	snprintf(name, sizeof(name), "%.*s", (int)sizeof(frame->name), frame->name);
	memset(ret, 0, sizeof(*ret));
	ret->unit = unit;
	demangle(name, ret->function, sizeof(ret->function));
	if (!unit)
		return 1;
	set_function(ret, name);
	n = debug ? unit_debug_places(debug, name, frame->offset, unit->record->unit.cell_name,
				      places, FAULT_CALLS_MAX)
		  : 0;
	for (unsigned k = 0; k < n; k++) {
		struct fault_call *c = &ret[k];

		memset(c, 0, sizeof(*c));
		c->unit = unit;
		c->line = places[k].line;
		c->file = places[k].file;
		c->file_line = places[k].file_line;
		c->is_of_user = c->line || (c->file && !places[k].is_of_system);
		c->entry = places[k].scope;
		set_function(c, places[k].function ? places[k].function : name);
		c->scene = (struct fault_scene){ .view = view, .unit = unit, .place = k };
		c->scene.frame.address = unit_debug_address(debug, name, frame->offset);
		c->scene.frame.function = places[n - 1].scope;
		c->scene.frame.place = place_of;
		c->scene.frame.place_data = (void *)unit;
	}
	return n ? n : 1;
}

unsigned fault_frames_calls(const struct fault_record *f, uint32_t i, struct session_view *view,
			    struct fault_call *ret)
{
	unsigned n = calls_of(&f->frames[i], view, ret);

	for (unsigned k = 0; k < n; k++)
		set_scene(&ret[k], f, i);
	return n;
}

bool fault_frames_site(const struct fault_frame *frame, struct session_view *view,
		       struct fault_call *ret)
{
	struct fault_call calls[FAULT_CALLS_MAX];
	unsigned n = calls_of(frame, view, calls);

	for (unsigned k = 0; k < n; k++) {
		if (!calls[k].unit || !calls[k].line)
			continue;
		*ret = calls[k];
		return true;
	}
	return false;
}

/* Finds the innermost call whose line is known, or any call in a unit. */
static bool innermost(const struct fault_record *f, struct session_view *view, bool with_line,
		      struct fault_call *ret)
{
	struct fault_call calls[FAULT_CALLS_MAX];

	for (uint32_t i = 0; i < count(f); i++) {
		unsigned n = fault_frames_calls(f, i, view, calls);

		for (unsigned k = 0; k < n; k++) {
			if (!calls[k].unit || (!calls[k].line && (with_line || k + 1 < n)))
				continue; /* a function from a header */
			*ret = calls[k];
			return true;
		}
	}
	return false;
}

bool fault_frames_innermost(const struct fault_record *f, struct session_view *view,
			    struct fault_call *ret)
{
	return innermost(f, view, true, ret) || innermost(f, view, false, ret);
}

void fault_frames_put_place(const struct fault_call *c, const char *parameters, struct buffer *out)
{
	bool is_of_cell = !c->line && c->file && !strncmp(c->file, "In[", strlen("In["));

	buffer_puts(out, is_of_cell ? c->file : c->unit->record->unit.cell_name);
	if (c->line || is_of_cell)
		buffer_printf(out, ", line %u", c->line ? c->line : c->file_line);
	else if (c->file)
		buffer_printf(out, ", %s:%u", c->file, c->file_line);
	if (!c->top_level && *c->function)
		buffer_printf(out, ", in %s(%s)", c->function, parameters);
}

static void put_source(const struct fault_call *c, struct buffer *out)
{
	uint32_t from = c->line > 1 && !c->top_level ? c->line - 1 : c->line;
	char text[400];

	for (uint32_t line = from; line && line <= c->line; line++) {
		if (!unit_record_source(c->unit->record, line, text, sizeof(text)))
			continue;
		if (line == c->line)
			buffer_printf(out, TEXT_BOLD " -> %3u | %s" TEXT_PLAIN "\n", line, text);
		else
			buffer_printf(out, "    %3u | %s\n", line, text);
	}
}

static void put_values(struct printer *p)
{
	for (const char *at = p->values; at && *at; at += strcspn(at, "\n"), at += *at == '\n')
		buffer_printf(p->out, "          %.*s\n", (int)strcspn(at, "\n"), at);
	p->values = NULL;
}

/* Notes that an earlier definition is still called: through a pointer, or because the new one has
 * another type. */
static void put_successor(const struct fault_call *c, struct buffer *out)
{
	const struct unit *unit = &c->unit->record->unit;
	const struct session_unit *newest;
	bool defined = false;

	for (size_t i = 0; i < unit->n_symbols && !defined; i++)
		defined =
			unit->symbols[i].is_function && !strcmp(unit->symbols[i].name, c->function);
	newest = defined && !c->top_level ? session_view_definer(c->scene.view, c->function) : NULL;
	if (newest && newest->record->unit.cell > unit->cell)
		buffer_printf(out, " (an earlier version: %s has defined %s() anew)",
			      newest->record->unit.cell_name, c->function);
}

static void put_call(struct printer *p, const struct fault_call *c)
{
	cleanup_buffer struct buffer parameters = BUFFER_INIT;

	/* Clang's function that runs statements and initialisers in turn has no line of its own. */
	if (c->top_level && p->top_level == c->unit)
		return;
	p->top_level = c->top_level ? c->unit : NULL;
	if (c->has_scene && !c->top_level) {
		Dwarf_Die entry = c->entry;

		fault_values_parameters(&c->scene, &entry, &parameters);
	}
	fault_frames_put_place(c, buffer_text(&parameters), p->out);
	if (c->scene.view)
		put_successor(c, p->out);
	buffer_putc(p->out, '\n');
	put_source(c, p->out);
	/* The values are those of the innermost call in the cell's text. */
	if (c->line || !c->file)
		put_values(p);
	p->shown++;
}

/* Tells whether the frame is in a library, or in a function that a C++ header has brought into the
 * unit. */
static bool is_library(const struct printer *p, uint32_t i)
{
	const struct fault_frame *frame = &p->f->frames[i];
	struct fault_call calls[FAULT_CALLS_MAX];
	unsigned n;

	if (!session_view_unit(p->view, frame->cell))
		return true;
	n = strncmp(frame->name, "_Z", 2) ? 0 : calls_of(frame, p->view, calls);
	for (unsigned k = 0; k < n; k++)
		if (calls[k].is_of_user)
			return false;
	return n != 0;
}

/* Skips the C++ library's frames for an uncaught exception, which tell the user nothing; returns
 * the first frame behind them. */
static uint32_t behind_throw(const struct printer *p, uint32_t i, uint32_t n)
{
	for (uint32_t k = i; k < n && is_library(p, k); k++)
		if (!strcmp(p->f->frames[k].name, "__cxa_throw") ||
		    !strcmp(p->f->frames[k].name, "__cxa_rethrow"))
			return k + 1;
	return i;
}

/* Appends a name such as "_ZN3fooEv (libfoo.so)", demangled. */
static void put_library_name(const char *name, struct buffer *out)
{
	size_t len = strncmp(name, "_Z", 2) ? strlen(name) : strcspn(name, " ");
	char symbol[sizeof(((struct fault_frame *)0)->name) + 1], shown[160];

	snprintf(symbol, sizeof(symbol), "%.*s", (int)len, name);
	demangle(symbol, shown, sizeof(shown));
	buffer_printf(out, "%s%s", shown, name + len);
}

/* Appends "  inside memcpy, called by strdup" for a run of library frames; returns the index
 * behind the run. */
static uint32_t put_library_run(struct printer *p, uint32_t i, uint32_t n)
{
	unsigned named = 0, unnamed = 0;
	const char *last = "";
	uint32_t start = i;

	i = behind_throw(p, i, n);
	if (i > start && (i == n || !is_library(p, i)))
		return i;
	for (; i < n && is_library(p, i); i++) {
		const char *name = p->f->frames[i].name;

		if (!strncmp(name, FAULT_FRAME_HIDDEN, sizeof(p->f->frames[i].name)) ||
		    !strncmp(name, FAULT_FRAME_SHOWS, strlen(FAULT_FRAME_SHOWS)) ||
		    (*name && !strcmp(name, last)))
			continue;
		if (!*name || named == LIBRARY_SHOWN) {
			unnamed++;
			continue;
		}
		buffer_puts(p->out, named++ ? ", called by " : "  inside ");
		put_library_name(name, p->out);
		last = name;
	}
	if (!named && !unnamed)
		return i;
	if (!named)
		buffer_printf(p->out,
			      "  inside %u function%s without a name, of a library or nowhere",
			      unnamed, unnamed == 1 ? "" : "s");
	buffer_putc(p->out, '\n');
	p->shown++;
	return i;
}

static void put_omitted(struct printer *p)
{
	buffer_puts(p->out, "  ... ");
	buffer_put_grouped(p->out, p->f->n_omitted);
	buffer_puts(p->out, " more calls ...\n");
}

static void put_frame(struct printer *p, uint32_t i)
{
	struct fault_call calls[FAULT_CALLS_MAX];
	unsigned n = fault_frames_calls(p->f, i, p->view, calls);

	for (unsigned k = 0; k < n; k++)
		if (calls[k].is_of_user || k + 1 == n)
			put_call(p, &calls[k]);
}

static void put_repeated(struct printer *p, const struct fault_frame *first, uint32_t n)
{
	buffer_puts(p->out, n == 1 ? "  (repeated " : "  (these calls were repeated ");
	buffer_put_grouped(p->out, first->times);
	buffer_puts(p->out, " times)\n");
}

static uint32_t put_one(struct printer *p, uint32_t i, uint32_t n)
{
	const struct fault_frame *frame = &p->f->frames[i];
	uint32_t cycle = frame->cycle <= n - i ? frame->cycle : 0, end = i + (cycle ? cycle : 1);

	if (!cycle && is_library(p, i))
		return put_library_run(p, i, n);
	for (uint32_t k = i; k < end; k++) {
		if (!is_library(p, k))
			put_frame(p, k);
		else
			put_library_run(p, k, k + 1);
	}
	if (cycle)
		put_repeated(p, frame, cycle);
	return end;
}

/* Tells whether the fault is a call through a bad pointer: its target is no function. */
static bool is_nowhere(const struct fault_record *f)
{
	return !f->frames[0].cell && !*f->frames[0].name && f->signal &&
	       f->frames[0].pc == f->address;
}

void fault_frames_put(const struct fault_record *f, struct session_view *view, const char *values,
		      struct buffer *out)
{
	struct printer p = { .f = f, .view = view, .values = values, .out = out };
	uint32_t n = count(f);

	/* Frames outside the outermost call in a cell are cgpu's own. */
	while (n && !session_view_unit(view, f->frames[n - 1].cell))
		n--;
	for (uint32_t i = is_nowhere(f); i < n;) {
		if (f->n_omitted && i == f->omitted_at)
			put_omitted(&p);
		if (p.shown >= FRAMES_SHOWN && n - i > 2) {
			buffer_printf(out, "  ... %u more calls ...\n", n - i - 1);
			i = n - 1;
		}
		i = put_one(&p, i, n);
	}
}
