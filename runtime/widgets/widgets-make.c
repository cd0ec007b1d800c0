/* SPDX-License-Identifier: Apache-2.0 */
/* The calls that make widgets. A widget begins as the JSON of its model, without the members that
 * ipywidgets' front end has a default for. */
#include <math.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "runtime/display/display.h"
#include "runtime/display/json-text.h"
#include "runtime/widgets/widgets.h"

#define HUNDREDTHS 100

struct making {
	struct display_call call;
	enum widget_kind kind;
	struct buffer state;
	struct error err;
};

static void put_text(struct making *m, const char *key, const char *text)
{
	buffer_printf(&m->state, ",\"%s\":", key);
	json_text_string(&m->state, text ? text : "");
}

static void put_number(struct making *m, const char *key, double v)
{
	buffer_printf(&m->state, ",\"%s\":", key);
	json_text_number(&m->state, v, false);
}

static struct making begin(const char *name, enum widget_kind kind, const char *label)
{
	const struct widget_kind_row *row = widget_kind_row(kind);
	struct making m = { display_begin(name), kind, BUFFER_INIT, ERROR_INIT };

	buffer_printf(&m.state, "{\"_model_module\":\"%s\"", row->module);
	put_text(&m, "_model_module_version", row->version);
	put_text(&m, "_model_name", row->model);
	put_text(&m, "_view_module", row->module);
	put_text(&m, "_view_module_version", row->version);
	put_text(&m, "_view_name", row->view);
	if (label)
		put_text(&m, "description", label);
	return m;
}

/* Opens it, unless there is an error. */
static cgpu_widget *end(struct making *m)
{
	cgpu_widget *w = NULL;

	buffer_putc(&m->state, '}');
	if (!m->err.code && !buffer_check(&m->state, &m->err))
		w = comm_new(m->kind, NULL, COMM_WIDGET_TARGET, buffer_text(&m->state), &m->err);
	buffer_release(&m->state);
	display_end(&m->call, w ? 0 : -1, &m->err);
	return w;
}

static bool is_whole(double v)
{
	return v == floor(v) && fabs(v) < 1e15;
}

static const char *format_of(double step)
{
	return is_whole(step) ? ".0f" : step >= 0.1 ? ".1f" : step >= 0.01 ? ".2f" : ".3~g";
}

static void put_range(struct making *m, double least, double most, double value)
{
	if (!isfinite(least) || !isfinite(most) || !isfinite(value))
		error_set(&m->err, ERROR_INPUT, "least, most and value must be finite");
	else if (least > most)
		error_set(&m->err, ERROR_INPUT, "least is above most");
	put_number(m, "value", value < least ? least : value > most ? most : value);
	put_number(m, "min", least);
	put_number(m, "max", most);
}

cgpu_widget *cgpu_slider_new(const char *label, double least, double most, double value)
{
	struct making m = begin("cgpu_slider_new", WIDGET_SLIDER, label);
	bool whole = is_whole(least) && is_whole(most) && is_whole(value) && most - least > 1;
	double step = whole || least >= most ? 1 : (most - least) / HUNDREDTHS;

	put_range(&m, least, most, value);
	put_number(&m, "step", step);
	put_text(&m, "readout_format", format_of(step));
	return end(&m);
}

void cgpu_slider_step(cgpu_widget *w, double step)
{
	struct display_call call = display_begin("cgpu_slider_step");
	cleanup_buffer struct buffer members = BUFFER_INIT;
	struct error err = ERROR_INIT;
	int rc = comm_check(w, &err);

	if (!rc && w->kind != WIDGET_SLIDER)
		rc = error_set(&err, ERROR_INPUT, "this is no slider");
	else if (!rc && !(isfinite(step) && step > 0))
		rc = error_set(&err, ERROR_INPUT, "the step must be above 0");
	if (!rc) {
		buffer_puts(&members, "{\"step\":");
		json_text_number(&members, step, false);
		buffer_printf(&members, ",\"readout_format\":\"%s\"}", format_of(step));
		rc = comm_set(w, buffer_text(&members), true, &err);
	}
	display_end(&call, rc, &err);
}

cgpu_widget *cgpu_checkbox_new(const char *label, int checked)
{
	struct making m = begin("cgpu_checkbox_new", WIDGET_CHECKBOX, label);

	buffer_printf(&m.state, ",\"indent\":false,\"value\":%s", checked ? "true" : "false");
	return end(&m);
}

cgpu_widget *cgpu_dropdown_new(const char *label, const char *const *options, unsigned n)
{
	struct making m = begin("cgpu_dropdown_new", WIDGET_DROPDOWN, label);

	if (n && !options)
		error_set(&m.err, ERROR_INPUT, "options is NULL");
	buffer_printf(&m.state, ",\"index\":%s,\"_options_labels\":[", n ? "0" : "null");
	for (unsigned i = 0; options && i < n; i++) {
		buffer_puts(&m.state, i ? "," : "");
		json_text_string(&m.state, options[i] ? options[i] : "");
	}
	buffer_putc(&m.state, ']');
	return end(&m);
}

cgpu_widget *cgpu_textbox_new(const char *label, const char *text)
{
	struct making m = begin("cgpu_textbox_new", WIDGET_TEXTBOX, label);

	put_text(&m, "value", text);
	/* A callback when the line is complete, and not for each key. */
	buffer_puts(&m.state, ",\"continuous_update\":false");
	return end(&m);
}

cgpu_widget *cgpu_button_new(const char *label)
{
	struct making m = begin("cgpu_button_new", WIDGET_BUTTON, label);

	return end(&m);
}

cgpu_widget *cgpu_meter_new(const char *label, double least, double most, double value)
{
	struct making m = begin("cgpu_meter_new", WIDGET_METER, label);

	put_range(&m, least, most, value);
	return end(&m);
}

cgpu_widget *cgpu_label_new(const char *text)
{
	struct making m = begin("cgpu_label_new", WIDGET_LABEL, NULL);

	put_text(&m, "value", text);
	return end(&m);
}

cgpu_widget *cgpu_output_new(void)
{
	struct making m = begin("cgpu_output_new", WIDGET_OUTPUT, NULL);

	buffer_puts(&m.state, ",\"msg_id\":\"\",\"outputs\":[]");
	return end(&m);
}

static cgpu_widget *make_box(const char *name, enum widget_kind kind, cgpu_widget *const *children,
			     unsigned n)
{
	struct making m = begin(name, kind, NULL);

	if (n && !children)
		error_set(&m.err, ERROR_INPUT, "children is NULL");
	buffer_puts(&m.state, ",\"children\":[");
	for (unsigned i = 0; i < n && !m.err.code; i++)
		if (comm_check(children[i], &m.err))
			error_wrap(&m.err, "child %u", i);
		else
			buffer_printf(&m.state, "%s\"IPY_MODEL_%s\"", i ? "," : "",
				      children[i]->id);
	buffer_putc(&m.state, ']');
	return end(&m);
}

cgpu_widget *cgpu_vbox(cgpu_widget *const *children, unsigned n)
{
	return make_box("cgpu_vbox", WIDGET_VBOX, children, n);
}

cgpu_widget *cgpu_hbox(cgpu_widget *const *children, unsigned n)
{
	return make_box("cgpu_hbox", WIDGET_HBOX, children, n);
}

cgpu_widget *cgpu_anywidget(const char *esm, const char *json)
{
	struct making m = begin("cgpu_anywidget", WIDGET_ANY, NULL);
	struct json_part key, value;

	if (!esm)
		error_set(&m.err, ERROR_INPUT, "the text of the module is NULL");
	else if (!json || !json_object_is_object(json))
		error_set(&m.err, ERROR_INPUT, "the state is no JSON object");
	put_text(&m, "_esm", esm);
	for (const char *at = json; !m.err.code && json_object_next(&at, &key, &value);) {
		buffer_printf(&m.state, ",\"%.*s\":", (int)key.len, key.at);
		buffer_append(&m.state, value.at, value.len);
	}
	return end(&m);
}
