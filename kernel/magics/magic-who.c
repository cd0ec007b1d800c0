/* SPDX-License-Identifier: Apache-2.0 */
/* %who and %whos: the variables of the session, from committed state. */
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/memory/address-map.h"
#include "kernel/base/text-table.h"
#include "kernel/reports/view-display.h"
#include "kernel/session/magic.h"
#include "kernel/session/output.h"
#include "kernel/session/result.h"
#include "kernel/session/session.h"
#include "kernel/settings/size-text.h"
#include "kernel/show/variable-name.h"
#include "kernel/views/presenter-view.h"

#define VALUE_MAX 60

/* The pattern is of the name, or of the type. */
static bool is_listed(const struct unit_variable *v, const char *pattern)
{
	char name[VARIABLE_NAME_SIZE];

	return !*pattern || !fnmatch(pattern, variable_name(v->name, v->is_function, name), 0) ||
	       !fnmatch(pattern, v->type, 0);
}

/* Says that nothing is listed, and why. */
static void say_none(struct session *s, const char *pattern)
{
	const struct unit_variable *v;

	if (*pattern && supervisor_variables(s->supervisor, &v))
		output_printf(&s->output, STREAM_STDOUT,
			      "no variable has a name or a type like `%s`\n", pattern);
	else
		output_printf(&s->output, STREAM_STDOUT, "no variables yet\n");
}

static int who(struct session *s, struct cell *c, const struct magic_call *call, struct error *err)
{
	const struct unit_variable *v;
	size_t n = supervisor_variables(s->supervisor, &v);
	cleanup_buffer struct buffer text = BUFFER_INIT;

	(void)c;
	(void)err;
	for (size_t i = 0; i < n; i++)
		if (!v[i].is_function && is_listed(&v[i], call->args))
			buffer_printf(&text, "%s%s", text.len ? "  " : "", v[i].name);
	if (text.len)
		output_printf(&s->output, STREAM_STDOUT, "%s\n", text.data);
	else
		say_none(s, call->args);
	return 0;
}

const struct magic magic_who = {
	.name = "who",
	.alias = "",
	.forms = MAGIC_LINE,
	.usage = "%who [PATTERN]",
	.help = "Names the variables of the session.\n\n"
		"`%who x*` names those whose name is like the pattern, `%who double *` "
		"those of a type.",
	.run = who,
	.word = MAGIC_WORD_VARIABLE,
};

/* Appends the value, and for pointers the owner of the target. */
static void put_value(struct session *s, const struct unit_variable *v, struct buffer *out)
{
	uint64_t address;

	result_variable(s, v, VALUE_MAX, out);
	if (*v->type_code != 'p' ||
	    supervisor_read(s->supervisor, v->address, &address, sizeof(address)) || !address)
		return;
	/* A stream or an event points into the runtime's own memory. */
	if (address >= ARENA_BASE + ARENA_META_OFFSET &&
	    address < ARENA_BASE + ARENA_META_OFFSET + ARENA_META_SIZE)
		return;
	buffer_puts(out, "  [");
	size_t before = out->len;
	result_owner(s, address, out);
	if (out->len == before)
		buffer_puts(out, "nobody's memory");
	buffer_putc(out, ']');
}

static const struct text_column columns[] = {
	{ "name", "", 4, 24, true }, { "type", "", 4, 28, true },
	{ "size", "", 9, 9, false }, { "cell", "that made it", 7, 7, true },
	{ "value", "", 0, 0, true },
};

static void add_row(struct session *s, const struct unit_variable *v, struct text_table *t)
{
	cleanup_buffer struct buffer value = BUFFER_INIT;
	char size[SIZE_TEXT_MAX], cell[24], name[VARIABLE_NAME_SIZE];

	if (!v->is_function)
		put_value(s, v, &value);
	snprintf(cell, sizeof(cell), "In[%u]", v->cell);
	text_table_begin_row(t, false);
	text_table_add(t, variable_name(v->name, v->is_function, name));
	text_table_add(t, v->type);
	text_table_add(t, v->is_function ? "" : size_text(v->size, size));
	text_table_add(t, cell);
	text_table_add(t, v->is_function ? "function" : buffer_text(&value));
}

static int whos(struct session *s, struct cell *c, const struct magic_call *call, struct error *err)
{
	const struct unit_variable *v;
	size_t n = supervisor_variables(s->supervisor, &v), listed = 0;
	struct presenter_view view = { 0 };
	struct text_table table;
	int r = 0;

	text_table_init(&table, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < n; i++)
		if (is_listed(&v[i], call->args)) {
			add_row(s, &v[i], &table);
			listed++;
		}
	text_table_text(&table, &view.text);
	text_table_html(&table, &view.html);
	if (!listed)
		say_none(s, call->args);
	else if (buffer_check(&view.text, err) || buffer_check(&view.html, err))
		r = -1;
	else
		r = view_display(s, c, &view, err);
	presenter_view_release(&view);
	text_table_release(&table);
	return r;
}

const struct magic magic_whos = {
	.name = "whos",
	.alias = "list",
	.forms = MAGIC_LINE,
	.usage = "%whos [PATTERN]",
	.help = "Shows a table of all variables and functions: type, size, the cell "
		"that made it, value.\n\n"
		"For a pointer it also names the variable, heap block or device buffer "
		"that it points into. `%whos tmp*` shows those whose name is like the "
		"pattern, `%whos int` those of a type.",
	.run = whos,
	.word = MAGIC_WORD_VARIABLE,
};
