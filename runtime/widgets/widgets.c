/* SPDX-License-Identifier: Apache-2.0 */
/* The calls for a widget that is there: show, read, set, callbacks, where output goes. */
#include "runtime/widgets/widgets.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "runtime/display/display.h"
#include "runtime/display/json-text.h"

#define VIEW "application/vnd.jupyter.widget-view+json"

const struct widget_kind_row *widget_kind_row(enum widget_kind kind)
{
	static const struct widget_kind_row rows[] = {
		[WIDGET_NONE] = { "comm", "", "", "", "", "" },
#define WIDGET(symbol, word, module, version, model, view, value)                                  \
	[WIDGET_##symbol] = { word, module, version, model, view, value },
#include "runtime/widgets/widget-kinds.def"
#undef WIDGET
	};

	return &rows[kind];
}

static int check(const cgpu_comm *w, struct error *err)
{
	if (comm_check(w, err))
		return -1;
	return w->kind ? 0 : error_set(err, ERROR_INPUT, "this is a comm and no widget");
}

void cgpu_widget_show(cgpu_widget *w)
{
	cleanup_bundle struct display_bundle b = DISPLAY_BUNDLE_INIT;
	struct display_call call = display_begin("cgpu_widget_show");
	cleanup_buffer struct buffer view = BUFFER_INIT, text = BUFFER_INIT;
	struct error err = ERROR_INIT;
	int rc = check(w, &err);

	if (!rc) {
		buffer_printf(&view,
			      "{\"version_major\":2,\"version_minor\":0,\"model_id\":\"%s\"}",
			      w->id);
		widget_text_put(w, &text);
		display_put_buffer(&b, VIEW, &view);
		display_put_buffer(&b, "text/plain", &text);
		rc = display_send(&b, NULL, false, &err);
	}
	display_end(&call, rc, &err);
}

void cgpu_widget_free(cgpu_widget *w)
{
	struct display_call call = display_begin("cgpu_widget_free");
	struct error err = ERROR_INIT;
	int rc = check(w, &err);

	if (!rc)
		comm_free(w);
	display_end(&call, rc, &err);
}

double cgpu_value(const cgpu_widget *w)
{
	struct display_call call = display_begin("cgpu_value");
	struct error err = ERROR_INIT;
	int rc = check(w, &err);

	display_end(&call, rc, &err);
	return rc ? 0 : w->number;
}

const char *cgpu_value_text(const cgpu_widget *w)
{
	struct display_call call = display_begin("cgpu_value_text");
	struct error err = ERROR_INIT;
	int rc = check(w, &err);

	display_end(&call, rc, &err);
	return rc || !w->text ? "" : w->text;
}

/* The limits of a slider or a meter, as its front end keeps them. */
static double within_range(const cgpu_comm *w, double v)
{
	struct json_part least, most;

	if (!json_object_member(w->state, "min", &least) ||
	    !json_object_member(w->state, "max", &most))
		return v;
	if (v < json_object_number(least))
		return json_object_number(least);
	return v > json_object_number(most) ? json_object_number(most) : v;
}

static int put_value(const cgpu_comm *w, double v, struct buffer *out, struct error *err)
{
	cleanup_buffer struct buffer option = BUFFER_INIT;

	buffer_printf(out, "{\"%s\":", widget_kind_row(w->kind)->value);
	if (!isfinite(v))
		return error_set(err, ERROR_INPUT, "the value must be finite");
	switch (w->kind) {
	case WIDGET_SLIDER:
	case WIDGET_METER:
		json_text_number(out, within_range(w, v), false);
		break;
	case WIDGET_CHECKBOX:
		buffer_puts(out, v != 0 ? "true" : "false");
		break;
	case WIDGET_DROPDOWN:
		if (v < 0 || v > 1e9 || v != floor(v) ||
		    !widget_text_option(w->state, (int)v, &option))
			return error_set(err, ERROR_INPUT, "there is no option %g", v);
		buffer_printf(out, "%.0f", v);
		break;
	default:
		return error_set(err, ERROR_INPUT, "a %s has no number as its value",
				 widget_kind_row(w->kind)->word);
	}
	buffer_putc(out, '}');
	return buffer_check(out, err);
}

void cgpu_set_value(cgpu_widget *w, double value)
{
	struct display_call call = display_begin("cgpu_set_value");
	cleanup_buffer struct buffer members = BUFFER_INIT;
	struct error err = ERROR_INIT;
	int rc = check(w, &err) || put_value(w, value, &members, &err) ? -1 : 0;

	if (!rc)
		rc = comm_set(w, buffer_text(&members), true, &err);
	display_end(&call, rc, &err);
}

void cgpu_set_text(cgpu_widget *w, const char *text)
{
	struct display_call call = display_begin("cgpu_set_text");
	cleanup_buffer struct buffer members = BUFFER_INIT;
	struct error err = ERROR_INIT;
	int rc = check(w, &err);

	if (!rc && w->kind != WIDGET_TEXTBOX && w->kind != WIDGET_LABEL && w->kind != WIDGET_BUTTON)
		rc = error_set(&err, ERROR_INPUT, "a %s has no text to set",
			       widget_kind_row(w->kind)->word);
	if (!rc) {
		buffer_printf(&members, "{\"%s\":", widget_kind_row(w->kind)->value);
		json_text_string(&members, text ? text : "");
		buffer_putc(&members, '}');
		rc = comm_set(w, buffer_text(&members), true, &err);
	}
	display_end(&call, rc, &err);
}

static bool is_key(const char *key)
{
	return key && *key && !key[strcspn(key, "\"\\")];
}

void cgpu_widget_set(cgpu_widget *w, const char *key, const char *json)
{
	struct display_call call = display_begin("cgpu_widget_set");
	cleanup_buffer struct buffer members = BUFFER_INIT;
	struct error err = ERROR_INIT;
	int rc = check(w, &err);

	if (!rc && !is_key(key))
		rc = error_set(&err, ERROR_INPUT, "this is no name of a member");
	else if (!rc && (!json || !json_object_is_value(json)))
		rc = error_set(&err, ERROR_INPUT, "this is no JSON: %.60s", json ? json : "NULL");
	if (!rc) {
		buffer_printf(&members, "{\"%s\":%s}", key, json);
		rc = comm_set(w, buffer_text(&members), true, &err);
	}
	display_end(&call, rc, &err);
}

const char *cgpu_widget_get(cgpu_widget *w, const char *key)
{
	struct display_call call = display_begin("cgpu_widget_get");
	struct error err = ERROR_INIT;
	struct json_part value;
	int rc = check(w, &err);

	if (!rc) {
		free(w->got);
		w->got = NULL;
		if (key && json_object_member(w->state, key, &value))
			w->got = display_session_alloc(value.len + 1);
		if (w->got)
			memcpy(w->got, value.at, value.len);
	}
	display_end(&call, rc, &err);
	return rc ? NULL : w->got;
}

void cgpu_widget_on_change(cgpu_widget *w, cgpu_on_change *f, void *data)
{
	struct display_call call = display_begin("cgpu_widget_on_change");
	struct error err = ERROR_INIT;
	int rc = check(w, &err);

	if (!rc)
		comm_row(w)->change = comm_call_of((void *)f, data);
	display_end(&call, rc, &err);
}

static int check_output(const cgpu_comm *w, struct error *err)
{
	if (check(w, err))
		return -1;
	return w->kind == WIDGET_OUTPUT
		       ? 0
		       : error_set(err, ERROR_INPUT, "this is no output of cgpu_output_new()");
}

void cgpu_widget_output(cgpu_widget *w, cgpu_widget *output)
{
	struct display_call call = display_begin("cgpu_widget_output");
	struct error err = ERROR_INIT;
	int rc = check(w, &err) || (output && check_output(output, &err)) ? -1 : 0;

	if (!rc)
		snprintf(w->output, sizeof(w->output), "%s", output ? output->id : "");
	display_end(&call, rc, &err);
}

void cgpu_output_begin(cgpu_widget *output)
{
	struct display_call call = display_begin("cgpu_output_begin");
	struct error err = ERROR_INIT;
	int rc = check_output(output, &err);

	if (!rc)
		comm_redirect(output->id);
	display_end(&call, rc, &err);
}

void cgpu_output_end(void)
{
	struct display_call call = display_begin("cgpu_output_end");

	comm_redirect("");
	display_end(&call, 0, NULL);
}
