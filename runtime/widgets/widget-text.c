/* SPDX-License-Identifier: Apache-2.0 */
/* A widget as text, for front ends without widgets: "n: 3 (0 to 10)". */
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "runtime/display/plain-text.h"
#include "runtime/widgets/widgets.h"

#define DEPTH_MAX 8

/* The next string of a list of strings from *at on; false: there is none. */
static bool next_string(struct json_part *rest, struct json_part *ret)
{
	const char *end = rest->at + rest->len,
		   *from = rest->len ? memchr(rest->at, '"', rest->len) : NULL, *p;

	if (!from)
		return false;
	for (p = from + 1; p < end && *p != '"'; p++)
		p += *p == '\\';
	if (p >= end)
		return false;
	*ret = json_part_of(from, (size_t)(p + 1 - from));
	*rest = json_part_of(p + 1, (size_t)(end - (p + 1)));
	return true;
}

bool widget_text_option(const char *state, int index, struct buffer *out)
{
	struct json_part list, option;

	if (index < 0 || !json_object_member(state, "_options_labels", &list))
		return false;
	while (next_string(&list, &option))
		if (!index--) {
			json_object_text(option, out);
			return true;
		}
	return false;
}

static void put_label(const cgpu_comm *w, struct buffer *out)
{
	cleanup_buffer struct buffer label = BUFFER_INIT;
	struct json_part value;

	if (json_object_member(w->state, "description", &value))
		json_object_text(value, &label);
	buffer_puts(out, label.len ? buffer_text(&label) : widget_kind_row(w->kind)->word);
}

static void put_number(const cgpu_comm *w, const char *key, struct buffer *out)
{
	struct json_part value;

	if (json_object_member(w->state, key, &value))
		plain_text_number(out, json_object_number(value));
}

static void put_options(const cgpu_comm *w, struct buffer *out)
{
	cleanup_buffer struct buffer option = BUFFER_INIT;

	for (int i = 0; i < 10; i++) {
		buffer_clear(&option);
		if (!widget_text_option(w->state, i, &option))
			return;
		buffer_printf(out, "%s%s", i ? ", " : "", buffer_text(&option));
	}
	buffer_puts(out, ", ...");
}

static void put(const cgpu_comm *w, int depth, struct buffer *out);

static void put_children(const cgpu_comm *w, int depth, struct buffer *out)
{
	struct json_part list, child;
	char id[COMM_ID_SIZE + 16] = "";
	const cgpu_comm *found;

	if (depth >= DEPTH_MAX || !json_object_member(w->state, "children", &list))
		return;
	while (next_string(&list, &child)) {
		if (child.len >= sizeof(id) || child.len < strlen("\"IPY_MODEL_\""))
			continue;
		memcpy(id, child.at + strlen("\"IPY_MODEL_"), child.len);
		id[child.len - strlen("\"IPY_MODEL_\"")] = '\0';
		found = comm_find(id);
		if (!found)
			continue;
		put(found, depth + 1, out);
	}
}

static void put(const cgpu_comm *w, int depth, struct buffer *out)
{
	const char *text = w->text ? w->text : "";

	if (out->len && w->kind != WIDGET_VBOX && w->kind != WIDGET_HBOX)
		buffer_putc(out, '\n');
	switch (w->kind) {
	case WIDGET_VBOX:
	case WIDGET_HBOX:
		put_children(w, depth, out);
		return;
	case WIDGET_BUTTON:
		buffer_printf(out, "[%s]", text);
		return;
	case WIDGET_LABEL:
		buffer_puts(out, text);
		return;
	case WIDGET_OUTPUT:
	case WIDGET_ANY:
		buffer_puts(out, widget_kind_row(w->kind)->word);
		return;
	default:
		put_label(w, out);
		buffer_puts(out, ": ");
	}
	if (w->kind == WIDGET_CHECKBOX) {
		buffer_puts(out, w->number != 0 ? "yes" : "no");
	} else if (w->kind == WIDGET_SLIDER || w->kind == WIDGET_METER) {
		put_number(w, "value", out);
		buffer_puts(out, " (");
		put_number(w, "min", out);
		buffer_puts(out, " to ");
		put_number(w, "max", out);
		buffer_putc(out, ')');
	} else {
		buffer_puts(out, text);
	}
	if (w->kind == WIDGET_DROPDOWN) {
		buffer_puts(out, " (of ");
		put_options(w, out);
		buffer_putc(out, ')');
	}
}

void widget_text_put(const cgpu_comm *w, struct buffer *out)
{
	put(w, 0, out);
}
