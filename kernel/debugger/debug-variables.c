/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgpu-presenter tells values and parts, in one exchange for a whole list. When it fails, or the
 * last cell is being committed, variables are listed by name and type, with the reason in place of
 * each value.
 */
#include "kernel/debugger/debug-variables.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "kernel/debugger/debug-call.h"
#include "kernel/debugger/debug-stack.h"
#include "kernel/session/result.h"
#include "kernel/session/session.h"
#include "kernel/show/utf8-json.h"
#include "kernel/show/variable-name.h"
#include "kernel/supervisor/present.h"
#include "kernel/supervisor/supervisor.h"
#include "kernel/views/presenter-part.h"
#include "kernel/views/presenter-view.h"
#include "kernel/workers/question.h"

#define CODE_MAX 65536        /* a variable with a longer type code is not looked into */
#define TEXTS_MAX (4u << 20)  /* of names, types and codes in a list */
#define DEVICE_LIST_MAX 32768 /* bytes that are read of a variable on the device for its value */
#define DEVICE_MAX (1u << 20) /* and for its parts */
#define NO_VALUE_YET "<the last cell is being committed>"

/* The variables of one answer. */
struct listing {
	struct debug_reference at[PRESENTER_PARTS_MAX];
	char names[PRESENTER_PARTS_MAX][VARIABLE_NAME_SIZE];
	size_t n;
	uint64_t more;
	bool is_silent; /* the worker did not give what is on the device */
};

static bool is_shown(const struct unit_variable *v)
{
	return !v->is_function && strncmp(v->name, "__", 2) != 0;
}

/* In a namespace a variable has another name in the object. */
static bool is_mangled(const struct unit_variable *v)
{
	return !strncmp(v->name, "_Z", 2);
}

/* Reads the content of what is on the device; it stays the caller's. False: it is not there. */
static bool read_device(struct session *s, struct presenter_part *p, uint64_t end, size_t max,
			struct buffer *bytes)
{
	uint64_t len = end - p->address < max ? end - p->address : max;

	if (!len || !buffer_extend(bytes, len) ||
	    question_read_device(s->supervisor, p->address, bytes->data, len, NULL))
		return false;
	p->bytes = bytes->data;
	p->len = len;
	return true;
}

static void fill(struct session *s, const struct unit_variable *v, struct debug_reference *ret,
		 char name[VARIABLE_NAME_SIZE])
{
	*ret = (struct debug_reference){
		.part = {
			.name = variable_name(v->name, is_mangled(v), name),
			.type = v->type,
			.code = strlen(v->type_code) > CODE_MAX ? "" : v->type_code,
			.cell = v->cell,
			.address = v->address,
			.is_elsewhere = result_is_on_device(s, v),
		},
		.end = v->address + v->size,
	};
}

static void collect(struct session *s, struct listing *l)
{
	const struct unit_variable *v;
	size_t n = supervisor_variables(s->supervisor, &v), texts = 0;

	for (size_t i = 0; i < n; i++) {
		const struct presenter_part *p;

		if (!is_shown(&v[i]))
			continue;
		if (l->n == PRESENTER_PARTS_MAX || texts > TEXTS_MAX) {
			l->more++;
			continue;
		}
		p = &l->at[l->n].part;
		fill(s, &v[i], &l->at[l->n], l->names[l->n]);
		texts += strlen(p->name) + strlen(p->type) + strlen(p->code);
		l->n++;
	}
}

static const struct unit_variable *find(struct session *s, const char *name)
{
	const struct unit_variable *v;
	size_t n = supervisor_variables(s->supervisor, &v);
	char shown[VARIABLE_NAME_SIZE];

	for (size_t i = 0; i < n; i++)
		if (is_shown(&v[i]) &&
		    !strcmp(variable_name(v[i].name, is_mangled(&v[i]), shown), name))
			return &v[i];
	return NULL;
}

/* ---- JSON ---- */

/* Numbers of the protocol are those of a double. */
static json_t *count_json(uint64_t n)
{
	return json_integer(n < 1ull << 53 ? (json_int_t)n : 1ll << 53);
}

/* Adds what the protocol has for parts. The code is that of the reference. */
static void put_reference(struct debugger *d, const struct debug_reference *what, json_t *ret)
{
	const struct presenter_part *p = &what->part;
	int32_t number = p->has_parts && *p->code ? debug_references_add(&d->references, what) : 0;

	json_object_set_new(ret, "variablesReference", json_integer(number));
	if (number && p->indexed)
		json_object_set_new(ret, "indexedVariables", count_json(p->indexed));
	if (number && p->named)
		json_object_set_new(ret, "namedVariables", count_json(p->named));
}

/* Makes the type of a whole variable say that it is on the device: front ends read numbers from
 * values. */
static json_t *type_json(const struct presenter_part *p, bool is_whole)
{
	cleanup_buffer struct buffer type = BUFFER_INIT;

	buffer_printf(&type, "%s%s", p->type, is_whole && p->is_elsewhere ? " (device)" : "");
	return utf8_json_text(buffer_text(&type));
}

/* Has JupyterLab show the value of what cannot be looked into. */
static void set_shown_type(json_t *variable)
{
	static const char *const shown[] = { "int", "float", "bool" };
	const char *type = json_string_value(json_object_get(variable, "type"));

	if (json_integer_value(json_object_get(variable, "variablesReference")))
		return;
	for (size_t i = 0; type && i < sizeof(shown) / sizeof(shown[0]); i++)
		if (!strcmp(type, shown[i]))
			return;
	json_object_set_new(variable, "type", json_string("str"));
}

static json_t *variable_json(struct debugger *d, const struct debug_reference *what,
			     const char *name, bool is_whole)
{
	const struct presenter_part *p = &what->part;
	json_t *made = json_pack("{so so so}", "name", utf8_json_text(name), "value",
				 utf8_json_text(p->text), "type", type_json(p, is_whole));

	if (made && is_whole)
		json_object_set_new(made, "evaluateName", utf8_json_text(name));
	if (made)
		put_reference(d, what, made);
	if (made && d->is_for_jupyterlab)
		set_shown_type(made);
	return made;
}

/* Appends the entry that tells how many there are beyond the list. */
static void append_more(json_t *list, uint64_t more)
{
	char text[64];

	if (!more)
		return;
	snprintf(text, sizeof(text), "%" PRIu64 " more", more);
	json_array_append_new(list, json_pack("{ss ss ss si}", "name", "...", "value", text, "type",
					      "", "variablesReference", 0));
}

/* ---- the list of variables ---- */

/* Has the presenter tell the values; what it says is borrowed from `answer`. */
static int tell(struct session *s, struct listing *l, struct buffer *answer, struct error *err)
{
	struct presenter_part *asked = calloc(l->n + 1, sizeof(*asked));
	struct buffer *bytes = calloc(l->n + 1, sizeof(*bytes));
	struct presenter_parts told = { 0 };
	int failed = asked && bytes ? 0 : error_set(err, ERROR_MEMORY, "out of memory");

	for (size_t i = 0; !failed && i < l->n; i++) {
		/* Who does not answer is not asked for the next one. */
		if (l->at[i].part.is_elsewhere && !l->is_silent)
			l->is_silent = !read_device(s, &l->at[i].part, l->at[i].end,
						    DEVICE_LIST_MAX, &bytes[i]);
		asked[i] = l->at[i].part;
		l->at[i].part.bytes = NULL;
		l->at[i].part.len = 0;
	}
	failed = failed || present_variables(s->supervisor, asked, l->n, answer, err) ||
		 presenter_parts_take(answer->data, answer->len, &told, err);
	if (!failed && told.n != l->n)
		failed = error_set(err, ERROR_PROTOCOL, "%zu values for %zu variables", told.n,
				   l->n);
	for (size_t i = 0; i < l->n; i++) {
		if (bytes)
			buffer_release(&bytes[i]);
		if (failed)
			continue;
		l->at[i].part.text = told.at[i].text;
		l->at[i].part.has_parts = told.at[i].has_parts;
		l->at[i].part.indexed = told.at[i].indexed;
		l->at[i].part.named = told.at[i].named;
	}
	presenter_parts_release(&told);
	free(asked);
	free(bytes);
	return failed ? -1 : 0;
}

static json_t *list_json(struct debug_call *c, struct listing *l, const char *no_value)
{
	cleanup_buffer struct buffer answer = BUFFER_INIT, why = BUFFER_INIT;
	struct error err = ERROR_INIT;
	json_t *list = json_array();

	if (!no_value && l->n && tell(c->session, l, &answer, &err)) {
		buffer_printf(&why, "<%s>", err.text);
		no_value = buffer_text(&why);
	}
	for (size_t i = 0; i < l->n; i++) {
		if (no_value)
			l->at[i].part.text = no_value;
		json_array_append_new(
			list, variable_json(c->debugger, &l->at[i], l->at[i].part.name, true));
	}
	append_more(list, l->more);
	return list;
}

/* Begins with the state as it is; what was listed of another one is forgotten. */
static void look(struct debug_call *c)
{
	struct debugger *d = c->debugger;

	if (!debug_references_renew(&d->references, supervisor_sight(c->session->supervisor)))
		return;
	json_decref(d->list);
	d->list = NULL;
}

int debug_variables_list(struct debug_call *c, struct error *err)
{
	struct supervisor *s = c->session->supervisor;
	bool is_idle = supervisor_is_ready(s), is_readable = supervisor_is_readable(s);
	struct debugger *d = c->debugger;
	struct listing *l;
	json_t *list;

	look(c);
	/* While a cell runs the list of before has all that could be told, and more. */
	if (d->list && (d->list_is_whole || !is_idle)) {
		c->body = json_pack("{sO}", "variables", d->list);
		return 0;
	}
	l = calloc(1, sizeof(*l));
	if (!l) {
		c->body = json_pack("{s[]}", "variables");
		return error_set(err, ERROR_MEMORY, "out of memory for the list of variables");
	}
	collect(c->session, l);
	list = list_json(c, l, is_readable ? NULL : NO_VALUE_YET);
	is_idle = is_idle && !l->is_silent;
	free(l);
	if (is_readable) {
		json_decref(d->list);
		d->list = json_incref(list);
		d->list_is_whole = is_idle;
	}
	c->body = json_pack("{so}", "variables", list);
	return 0;
}

/* ---- parts ---- */

/* Reads `start`, `count` and `filter`. *ret_none: nothing is of the kind that is asked for. */
static int read_range(const struct debug_call *c, const struct presenter_part *p,
		      struct presenter_range *ret, bool *ret_none, struct error *err)
{
	static const char *const keys[] = { "start", "count" };
	const char *filter = debug_call_text(c, "filter");
	bool is_indexed = !strcmp(filter, "indexed");
	json_int_t values[2];

	if (*filter && !is_indexed && strcmp(filter, "named") != 0)
		return error_set(err, ERROR_INPUT,
				 "variables: `filter` is \"indexed\" or \"named\"");
	for (size_t i = 0; i < 2; i++) {
		bool is_there = !json_is_null(json_object_get(c->arguments, keys[i])) &&
				json_object_get(c->arguments, keys[i]);

		values[i] = is_there ? debug_call_number(c, keys[i]) : 0;
		if (values[i] < 0)
			return error_set(err, ERROR_INPUT,
					 "variables: `%s` is a number that is not negative",
					 keys[i]);
		ret->is_given |= values[i] > 0 || (is_there && !i);
	}
	ret->start = (uint64_t)values[0];
	ret->count = (uint64_t)values[1];
	ret->is_given |= is_indexed;
	*ret_none = *filter && (is_indexed ? p->named : p->indexed) != 0;
	return 0;
}

/* Appends parts as the presenter has listed them. */
static int append_parts(struct debug_call *c, const struct buffer *answer, uint64_t end,
			json_t *list, struct error *err)
{
	struct presenter_parts told = { 0 };
	int failed = presenter_parts_take(answer->data, answer->len, &told, err);

	for (size_t i = 0; !failed && i < told.n; i++) {
		struct debug_reference part = { told.at[i], end };

		/* It is no variable, which could be looked for by its name. */
		part.part.name = "";
		json_array_append_new(list,
				      variable_json(c->debugger, &part, told.at[i].name, false));
	}
	if (!failed)
		append_more(list, told.more);
	presenter_parts_release(&told);
	return failed ? -1 : 0;
}

/* Lists the parts of `whole`, which is a copy: new references move the table. */
static int list_parts(struct debug_call *c, struct debug_reference whole,
		      const struct presenter_range *which, json_t *list, struct error *err)
{
	cleanup_buffer struct buffer answer = BUFFER_INIT, bytes = BUFFER_INIT;
	if (whole.part.is_elsewhere)
		read_device(c->session, &whole.part, whole.end, DEVICE_MAX, &bytes);
	if (present_parts(c->session->supervisor, &whole.part, which, &answer, err))
		return -1;
	return append_parts(c, &answer, whole.end, list, err);
}

/* Lists the variables of a scope of a call. */
static int list_locals(struct debug_call *c, int64_t reference, json_t *list, struct error *err)
{
	bool of_warp = reference > DEBUG_STACK_WARPS;
	const struct presenter_frame *f = debug_stack_frame(
		c, reference - (of_warp ? DEBUG_STACK_WARPS : DEBUG_STACK_SCOPES), err);
	cleanup_buffer struct buffer answer = BUFFER_INIT;

	if (!f || present_locals(c->session->supervisor, f->frame,
				 of_warp ? PRESENTER_OF_WARP : f->call, &answer, err))
		return -1;
	return append_parts(c, &answer, 0, list, err);
}

/* Lists the variables of the session. */
static int list_session(struct debug_call *c, json_t *list, struct error *err)
{
	struct listing *l = calloc(1, sizeof(*l));
	json_t *made;

	if (!l)
		return error_set(err, ERROR_MEMORY, "out of memory for the list of variables");
	collect(c->session, l);
	made = list_json(c, l, NULL);
	json_array_extend(list, made);
	json_decref(made);
	free(l);
	return 0;
}

int debug_variables_parts(struct debug_call *c, struct error *err)
{
	json_int_t number = debug_call_number(c, "variablesReference");
	const struct debug_reference *whole;
	struct presenter_range which = { 0 };
	struct error why = ERROR_INIT;
	json_t *list = json_array();
	bool is_none = false;

	look(c);
	c->body = json_pack("{so}", "variables", list);
	if (!c->body)
		return error_set(err, ERROR_MEMORY, "out of memory for the list of parts");
	if (!json_is_integer(json_object_get(c->arguments, "variablesReference")))
		return error_set(err, ERROR_INPUT,
				 "variables: `variablesReference` is the number of a variable that "
				 "was listed");
	if (number == DEBUG_STACK_SESSION)
		return list_session(c, list, err);
	if (number > DEBUG_STACK_SCOPES)
		return list_locals(c, number, list, err);
	whole = debug_references_find(&c->debugger->references, number, &why);
	if (!whole) {
		/* The word of the protocol for what cannot be had at the moment. */
		c->word = why.code == ERROR_STATE ? "notAvailable" : NULL;
		return error_set(err, why.code, "%s", why.text);
	}
	if (read_range(c, &whole->part, &which, &is_none, err))
		return -1;
	if (!supervisor_is_readable(c->session->supervisor)) {
		c->word = "notAvailable";
		return error_set(err, ERROR_STATE, "the last cell is being committed: ask again");
	}
	return is_none ? 0 : list_parts(c, *whole, &which, list, err);
}

/* ---- one variable ---- */

void debug_variables_put(struct debug_call *c, const struct debug_reference *what, bool is_whole)
{
	look(c);
	c->body = json_pack("{so so}", "result", utf8_json_text(what->part.text), "type",
			    type_json(&what->part, is_whole));
	if (c->body)
		put_reference(c->debugger, what, c->body);
}

int debug_variables_tell(struct debug_call *c, const char *name, struct error *err)
{
	const struct unit_variable *v = find(c->session, name);
	cleanup_buffer struct buffer answer = BUFFER_INIT;
	cleanup_free struct listing *l = v ? calloc(1, sizeof(*l)) : NULL;

	if (!v)
		return 0;
	if (!l)
		return error_set(err, ERROR_MEMORY, "out of memory for a variable");
	fill(c->session, v, &l->at[0], l->names[0]);
	l->n = 1;
	if (!supervisor_is_readable(c->session->supervisor))
		l->at[0].part.text = NO_VALUE_YET;
	else if (tell(c->session, l, &answer, err))
		return -1;
	debug_variables_put(c, &l->at[0], true);
	return 1;
}

/* Adds the forms in which a front end can show it. */
static void put_picture(struct session *s, const struct unit_variable *v, json_t *data)
{
	cleanup_buffer struct buffer bytes = BUFFER_INIT;
	char name[VARIABLE_NAME_SIZE];
	struct debug_reference what;
	struct presenter_view view;

	fill(s, v, &what, name);
	if (what.part.is_elsewhere)
		read_device(s, &what.part, what.end, DEVICE_MAX, &bytes);
	if (!present_picture(s->supervisor, &what.part, &view, NULL)) {
		if (view.html.len)
			json_object_set_new(data, "text/html",
					    utf8_json(view.html.data, view.html.len));
		if (view.chart.len)
			json_object_set_new(data, "image/svg+xml",
					    utf8_json(view.chart.data, view.chart.len));
	}
	presenter_view_release(&view);
}

int debug_variables_rich(struct debug_call *c, struct error *err)
{
	const char *name = debug_call_text(c, "variableName");
	const struct unit_variable *v = find(c->session, name);
	cleanup_buffer struct buffer text = BUFFER_INIT;
	bool is_readable = supervisor_is_readable(c->session->supervisor);
	json_t *data = json_object();

	c->body = json_pack("{so s{}}", "data", data, "metadata");
	if (!v)
		return error_set(
			err, ERROR_NOT_FOUND,
			"richInspectVariables: `variableName` is the name of a variable of "
			"the session, and `%.60s` is none",
			name);
	if (!c->body)
		return error_set(err, ERROR_MEMORY, "out of memory for a variable");
	if (is_readable)
		result_variable(c->session, v, 0, &text);
	else
		buffer_puts(&text, NO_VALUE_YET);
	json_object_set_new(data, "text/plain", utf8_json(buffer_text(&text), text.len));
	if (is_readable)
		put_picture(c->session, v, data);
	return 0;
}
