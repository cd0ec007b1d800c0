/* SPDX-License-Identifier: Apache-2.0 */
/* The state machine of kernel/requests/execute.h. All states return to `advance`. */
#include "kernel/requests/execute.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/cleanup.h"
#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/protocol/comm-message.h"
#include "common/protocol/compiler-protocol.h"
#include "kernel/comms/comm-inbox.h"
#include "kernel/comms/comms.h"
#include "kernel/debugger/debug-stops.h"
#include "kernel/declarations/declarations.h"
#include "kernel/declarations/flags.h"
#include "kernel/declarations/setup.h"
#include "kernel/device/eviction.h"
#include "kernel/magics/magic-script.h"
#include "kernel/protocol/abort-window.h"
#include "kernel/protocol/publish.h"
#include "kernel/protocol/wire.h"
#include "kernel/requests/dispatch.h"
#include "kernel/requests/step.h"
#include "kernel/session/cell.h"
#include "kernel/session/gpu-card.h"
#include "kernel/session/history.h"
#include "kernel/session/input.h"
#include "kernel/session/look.h"
#include "kernel/session/output.h"
#include "kernel/session/packages.h"
#include "kernel/session/request.h"
#include "kernel/session/session.h"
#include "kernel/session/subshells.h"
#include "kernel/session/undo.h"
#include "kernel/settings/options.h"
#include "kernel/units/compiled-unit.h"

static void advance(struct session *s);
static void start_next(struct session *s);

static int64_t wall_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * INT64_C(1000000) + t.tv_nsec / 1000;
}

static bool is_blank(const char *text)
{
	return !text[strspn(text, " \t\r\n")];
}

static void abort_cell(struct cell *c)
{
	request_begin(c->request);
	/* Without an execution_count: the cell has not run, and a front end shows it without a
	 * number. */
	request_reply(c->request, json_pack("{ss}", "status", "aborted"));
	cell_free(c);
}

void execute_abort(struct subshell *of)
{
	struct cell *c;

	while ((c = subshells_take(of)))
		abort_cell(c);
}

void execute_request(struct request *r)
{
	struct session *s = r->session;
	struct subshell *to = subshells_of(&s->executor.subshells, &r->message, NULL);
	struct cell *c = cell_new(r);

	if (!c) {
		request_begin(r);
		request_fail(r, "OutOfMemory", "the kernel process is out of memory");
		request_end(r);
		return;
	}
	c->arrived_us = wall_us();
	if (abort_window_covers(&to->late, &r->message)) {
		abort_cell(c);
		return;
	}
	subshells_add(to, c);
	start_next(s);
}

/* Publishes busy and the input, before any other message of the cell. */
static void announce(struct session *s, struct cell *c)
{
	if (c->announced)
		return;
	c->announced = true;
	request_begin(c->request);
	if (!c->silent)
		publish_execute_input(&s->publisher, &c->request->message, c->code, c->number);
	output_begin(&s->output, &c->request->message, c->store ? c->number : 0);
}

/*
 * Ends the cell: error, reply, idle; then the next one. The cells to abort are received before the
 * reply is sent, and none between it and the end of this function, since a front end that has seen
 * the reply may send a cell that is meant to run.
 */
static void finish(struct session *s)
{
	struct executor *e = &s->executor;
	struct cell *c = e->current;
	/* NULL: it was deleted while the cell ran. */
	struct subshell *own = subshells_of(&e->subshells, &c->request->message, NULL);
	bool held = e->held, abort_others = own && c->failed && c->stop_on_error && !c->silent;

	announce(s, c);
	input_cancel(s);
	output_end(&s->output);
	gpu_card_on_end(s);
	time_limit_end(s);
	e->held = true;
	if (abort_others) {
		session_tell_declarations(s);
		dispatch_drain(s, CHANNEL_SHELL);
	}
	if (c->failed)
		publish(&s->publisher, &c->request->message, "error", cell_error(c));
	comms_settle(&s->comms, &c->request->message);
	comms_end_redirect(&s->comms, &c->request->message);
	if (abort_others)
		abort_window_open(&own->late, &c->request->message, c->arrived_us, wall_us());
	if (!c->delivery)
		request_reply_with(
			c->request,
			json_pack("{ss sb}", "started", c->started, "dependencies_met", 1),
			cell_reply(c, c->silent ? e->count : c->number));
	e->current = NULL;
	cell_free(c);
	/* This follows the reply, so that nobody waits for it. */
	session_tell_declarations(s);
	if (abort_others)
		execute_abort(own);
	e->held = held;
	start_next(s);
}

/* Skips a byte order mark at the start of a pasted file, which has no meaning in UTF-8. */
static const char *behind_mark(const char *code)
{
	static const char mark[] = "\xef\xbb\xbf";

	return strncmp(code, mark, strlen(mark)) ? code : code + strlen(mark);
}

/* Returns the magic for `exit` or `quit` alone, as people end a terminal, where no variable of the
 * session has the name; else the code. */
static const char *or_exit(const struct session *s, const char *code)
{
	static const char *const words[] = { "exit", "quit" };
	const char *at = code + strspn(code, " \t\r\n"), *behind;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strncmp(at, words[i], strlen(words[i])))
			continue;
		behind = at + strlen(words[i]);
		behind += strncmp(behind, "()", 2) ? 0 : 2;
		behind += *behind == ';';
		if (!behind[strspn(behind, " \t\r\n")] &&
		    !declarations_find(&s->declarations, words[i]))
			return "%exit";
	}
	return code;
}

/* Fails a cell whose text is none: the front end did not send it, or it could not be read. */
static void fail_unread(struct cell *c, const char *code)
{
	const struct message *m = &c->request->message;
	char text[500];

	if (code)
		snprintf(text, sizeof(text), "the cell holds a NUL character");
	else if (m->unread)
		snprintf(text, sizeof(text),
			 "the kernel process is out of memory for a cell of this size");
	else if (*m->malformed)
		snprintf(text, sizeof(text),
			 "the cell that the front end has sent cannot be read: %s. A character of "
			 "it is broken, as half of an emoji is: delete it and type it again",
			 m->malformed);
	else
		snprintf(text, sizeof(text), "the request has no text in its field \"code\"");
	cell_fail_plain(c, "CompileError", text);
}

static void begin(struct session *s, struct cell *c)
{
	struct executor *e = &s->executor;

	e->current = c;
	c->number = c->store ? ++e->count : e->count + 1;
	snprintf(c->name, sizeof(c->name), "In[%" PRIu32 "]", c->number);
	wire_date(c->started);
	c->state = CELL_MAGICS;
	gpu_card_on_begin(s, c);
	time_limit_begin(s);
}

static void start(struct session *s, struct cell *c)
{
	struct executor *e = &s->executor;
	const char *code = json_string_value(c->code);
	struct error err = ERROR_INIT;

	if (code && is_blank(code))
		c->store = false;
	begin(s, c);
	if (!code || strlen(code) != json_string_length(c->code)) {
		fail_unread(c, code);
	} else {
		if (c->store)
			history_add(s->history, c->number, code);
		if (magic_script_parse(&c->script, or_exit(s, behind_mark(code)), &err))
			cell_fail_plain(c, "UsageError", err.text);
	}
	if (c->failed || c->script.n_calls)
		announce(s, c);
	advance(s);
	/* If the cell is not finished, the compiler works while this is sent. */
	if (e->current == c)
		announce(s, c);
}

/* Tells the mirror of front ends what the sender has of the comm. False: the comm is gone. */
static bool meet(struct session *s, const struct delivery *d)
{
	struct comm *comm = comms_find(&s->comms, d->id);

	if (!comm)
		return false;
	comm->is_arriving = false;
	/* Front ends that were told another value since have that one. */
	if (d->action == COMM_UPDATE)
		comms_merge(comm, d->told == comm->told ? d->data : NULL);
	else if (d->action == COMM_CLOSE)
		comms_forget(&s->comms, comm);
	return true;
}

static void start_delivery(struct session *s, struct delivery *d)
{
	struct cell *c = meet(s, d) ? cell_new(d->request) : NULL;

	if (!c) {
		request_begin(d->request);
		request_end(d->request);
		delivery_free(d);
		return;
	}
	c->delivery = d;
	c->silent = true;
	c->store = c->allow_stdin = c->stop_on_error = false;
	c->expressions = NULL;
	c->id = "";
	begin(s, c);
	announce(s, c);
	advance(s);
}

/* Starts what has the next turn. False: nothing waits. */
static bool start_one(struct session *s)
{
	struct executor *e = &s->executor;
	struct cell *c = e->has_delivered ? subshells_take_next(&e->subshells) : NULL;
	struct delivery *d = c ? NULL : comm_inbox_take(&e->inbox);

	e->has_delivered = d != NULL;
	if (d)
		start_delivery(s, d);
	else if (c || (c = subshells_take_next(&e->subshells)))
		start(s, c);
	return c || d;
}

static void start_next(struct session *s)
{
	struct executor *e = &s->executor;

	/* A loop instead of recursion, because cells that consist of magics finish inside
	 * start(). */
	if (e->held)
		return;
	e->held = true;
	while (!e->current && start_one(s)) {
	}
	e->held = false;
}

static void on_compiled(void *data, struct compiled_unit *unit, const char *headline,
			const char *diagnostics);
static void deliver(struct session *s, struct cell *c);

/* Tells whether the cell's own code is shown by %%ptx and its like. */
static bool is_looked_at(const struct cell *c)
{
	return c->look.kind && c->step->is_own;
}

/* Starts to compile. The cell may have ended, and be freed, when this returns. */
static void compile(struct session *s, const struct buffer *text, const char *written,
		    const char *name)
{
	cleanup_buffer struct buffer flags = BUFFER_INIT;
	struct cell *c = s->executor.current;
	cleanup_free uint32_t *replaced = NULL;
	const struct run_options usual = { 0 };
	struct error err = ERROR_INIT;
	size_t n_replaced;

	if (declarations_of_cell(&s->declarations, c->step->id(c), &replaced, &n_replaced, &err))
		log_error("%s", err.text);

	session_tell_declarations(s);
	c->state = CELL_COMPILING;
	c->compile_start_ns = clock_now_ns();
	buffer_clear(&c->shown);
	flags_compose(&s->flags, &flags);
	supervisor_compile_for(s->supervisor, is_looked_at(c) ? c->look.sm : 0);
	c->options.debugged = debug_stops_wanted(s) && !c->options.checked;
	const struct supervisor_compilation compilation = {
		.cell = c->number,
		.name = name,
		.text = buffer_text(text),
		.written = written,
		.cflags = buffer_text(&flags),
		.nvflags = flags_get(&s->flags, FLAGS_DEVICE),
		.replaced = replaced,
		.n_replaced = n_replaced,
		.options = c->step->is_own ? &c->options : &usual,
	};

	if (buffer_check(text, &err) || buffer_check(&flags, &err) ||
	    supervisor_compile(s->supervisor, &compilation, &err))
		on_compiled(s, NULL, err.text, "Nothing was run, and the session is as it was.");
}

static void compile_text(struct session *s, const char *text, const char *name)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;

	buffer_puts(&b, text);
	compile(s, &b, NULL, name);
}

/* Compiles what a new worker needs before the cell's own code, or that code. */
static void compile_next(struct session *s, struct cell *c)
{
	cleanup_buffer struct buffer own = BUFFER_INIT;
	const char *name, *text = step_setup_next(s, c, &name);

	if (text) {
		compile_text(s, text, name);
		return;
	}
	if (c->delivery) {
		deliver(s, c);
		return;
	}
	buffer_printf(&own, "%s%s", c->script.code, buffer_text(&c->behind));
	compile(s, &own, c->script.written, c->name);
}

/* Starts the next user_expression. False: there is none left. */
static bool compile_expression(struct session *s, struct cell *c)
{
	const char *text = step_expression_next(c);
	char name[48];

	if (!text)
		return false;
	snprintf(name, sizeof(name), "%s expression", c->name);
	compile_text(s, text, name);
	return true;
}

/* Tells whether the magic must wait for a worker; a parked session is brought back. */
static bool await_worker(struct session *s, struct cell *c, const struct magic_call *call)
{
	struct eviction_state p;

	c->awaiting =
		!supervisor_is_ready(s->supervisor) &&
		!(call->magic->forms & MAGIC_PARKED && eviction_holds_session(s->supervisor, &p));
	if (c->awaiting)
		eviction_wake(s->supervisor);
	return c->awaiting;
}

/*
 * Runs the magics. 1: they go on later. Magics ask the worker, so they wait, as cells do, while
 * another worker takes the session over; a magic that loses its worker is run once more with the
 * next.
 */
static int run_magics(struct session *s, struct cell *c)
{
	while (c->next_magic < c->script.n_calls && !c->failed) {
		const struct magic_call *call = &c->script.calls[c->next_magic];

		if (!c->waited && await_worker(s, c, call))
			return 1;
		c->waited = false;
		c->next_magic++;
		cleanup_free char *args = strdup(call->args); /* the magic may cut it into words */
		struct error err = ERROR_INIT;
		int rc = call->magic->run(s, c, call, &err);

		if (rc > 0)
			return 1;
		if (rc && err.code == ERROR_PEER_GONE && !supervisor_is_ready(s->supervisor) &&
		    !c->tried_again && args) {
			strcpy(call->args, args);
			c->tried_again = true;
			c->next_magic--;
			continue;
		}
		c->tried_again = false;
		if (rc)
			cell_fail_plain(c, "UsageError", err.text);
	}
	return 0;
}

static void advance(struct session *s)
{
	struct cell *c = s->executor.current;

	if (c->state == CELL_MAGICS && run_magics(s, c))
		return;
	if (c->failed) {
		finish(s);
		return;
	}
	if (c->state == CELL_MAGICS &&
	    (c->delivery || c->behind.len || !is_blank(c->script.code))) {
		compile_next(s, c);
		return;
	}
	c->state = CELL_EXPRESSIONS;
	if (!compile_expression(s, c))
		finish(s);
}

static void on_session(void *data)
{
	struct session *s = data;
	struct cell *c = s->executor.current;

	if (!c || !c->awaiting)
		return;
	c->awaiting = false;
	c->waited = true;
	advance(s);
}

/* Tells whether anything of a cell is still to be run while its magics are. */
static bool has_rest(const struct cell *c)
{
	return c->next_magic < c->script.n_calls || c->behind.len || !is_blank(c->script.code);
}

/* Goes on behind a magic. One that came to its end in spite of an interrupt has done its work,
 * which is no error where nothing was to follow. */
static void magic_done(struct session *s, const struct error *err)
{
	struct cell *c = s->executor.current;
	const struct magic_call *call = &c->script.calls[c->next_magic - 1];
	char text[128];

	c->cancel = NULL;
	if (err) {
		if (c->interrupted)
			cell_fail_interrupted(c, err->text);
		else
			cell_fail_plain(c, "UsageError", err->text);
	} else if (c->interrupted && has_rest(c)) {
		snprintf(text, sizeof(text),
			 "interrupted; `%s%s` is complete, and nothing after it was run",
			 call->is_cell ? "%%" : "%", call->magic->name);
		cell_fail_interrupted(c, text);
	}
	advance(s);
}

static void run(struct session *s, struct cell *c, const struct buffer *dropped)
{
	struct run_options options = { 0 };

	c->state = CELL_RUNNING;
	undo_forget_redo(&s->undo);
	if (!c->noted)
		c->state_before = supervisor_state(s->supervisor);
	supervisor_identify(s->supervisor, c->step->id(c));
	if (c->step->is_own) {
		options = c->options;
		options.traced |= s->trace_all;
	}
	if (c->delivery)
		options.debugged = debug_stops_wanted(s);
	else if (options.debugged)
		debug_stops_before_run(s, c->number, json_string_value(c->code));
	supervisor_run(s->supervisor, c->unit, dropped, &options);
}

static void go_to(struct session *s, enum step_next next)
{
	s->executor.current->state = next == STEP_TO_MAGICS ? CELL_MAGICS : CELL_EXPRESSIONS;
	advance(s);
}

static void deliver(struct session *s, struct cell *c)
{
	cleanup_buffer struct buffer message = BUFFER_INIT;
	struct error err = ERROR_INIT;

	compiled_unit_release(c->unit);
	c->unit = step_comm_begin(c, &err);
	if (!c->unit || step_comm_message(c, &message, &err)) {
		cell_fail_plain(c, "OutOfMemory", err.text);
		go_to(s, STEP_TO_EXPRESSIONS);
		return;
	}
	supervisor_deliver(s->supervisor, &message);
	run(s, c, &(struct buffer)BUFFER_INIT);
}

static void looked(struct session *s, const struct error *err)
{
	struct cell *c = s->executor.current;

	if (c->interrupted)
		cell_fail_interrupted(c, "interrupted while its device code was looked at");
	else if (err)
		cell_fail_plain(c, "UsageError", err->text);
	go_to(s, STEP_TO_EXPRESSIONS);
}

static void on_compiled(void *data, struct compiled_unit *unit, const char *headline,
			const char *diagnostics)
{
	struct session *s = data;
	struct cell *c = s->executor.current;
	cleanup_buffer struct buffer dropped = BUFFER_INIT;
	enum step_next next = STEP_TO_EXPRESSIONS;

	if (!c || c->state != CELL_COMPILING)
		return;
	announce(s, c);
	c->compile_ns = clock_now_ns() - c->compile_start_ns;
	compiled_unit_release(c->unit);
	c->unit = unit ? compiled_unit_keep(unit) : NULL;
	if (c->interrupted) {
		cell_fail_interrupted(c, "interrupted while it was compiled; nothing was run");
	} else if (!unit) {
		next = c->step->refused(s, c, headline, diagnostics);
	} else if (is_looked_at(c)) {
		look_at_unit(s, c, &unit->unit);
		return;
	} else if (declarations_leaving(&s->declarations, c->step->id(c), &unit->unit, &dropped,
					NULL)) {
		cell_fail_plain(c, "OutOfMemory", "the kernel process is out of memory");
	} else {
		run(s, c, &dropped);
		return;
	}
	go_to(s, next);
}

static void on_output(void *data, enum output_type type, const char *bytes, size_t len)
{
	struct session *s = data;
	struct cell *c = s->executor.current;

	if (type == OUTPUT_STDOUT || type == OUTPUT_STDERR) {
		output_text(&s->output, type == OUTPUT_STDOUT ? STREAM_STDOUT : STREAM_STDERR,
			    bytes, len);
	} else if (type == OUTPUT_RESULT) {
		if (c) {
			buffer_clear(&c->shown);
			buffer_append(&c->shown, bytes, len);
		}
	} else {
		output_record(&s->output, type, bytes, len);
	}
}

static void on_input_request(void *data, const char *prompt, bool password)
{
	struct session *s = data;
	struct cell *c = s->executor.current;

	if (!c) {
		supervisor_input(s->supervisor, true, "");
		return;
	}
	if (c->allow_stdin) {
		/* Late answers to an earlier question must not count for this one. */
		input_cancel(s);
		dispatch_drain(s, CHANNEL_STDIN);
	}
	input_ask(s, c->request, c->allow_stdin, prompt, password);
}

static void drop(struct session *s, const struct buffer *names)
{
	struct cell *c = s->executor.current;
	struct error err = ERROR_INIT;

	compiled_unit_release(c->unit);
	c->unit = step_drop_begin(c, names, &err);
	if (c->unit) {
		run(s, c, names);
		return;
	}
	cell_fail_plain(c, "OutOfMemory", err.text);
	go_to(s, STEP_TO_EXPRESSIONS);
}

static void on_who_has(void *data, uint32_t type, const void *payload, size_t len)
{
	struct session *s = data;
	struct cell *c = s->executor.current;
	cleanup_buffer struct buffer lines = BUFFER_INIT;

	if (!c || !c->asks_who_has)
		return;
	c->asks_who_has = false;
	packages_read_lines(type, payload, len, &lines);
	if (lines.len)
		cell_fail_more(c, buffer_text(&lines));
	go_to(s, STEP_TO_EXPRESSIONS);
}

/* Asks the compiler which packages have the missing names. False: there is no question, and the
 * cell ends at once. */
static bool ask_who_has(struct session *s, struct cell *c, const struct cell_end *end)
{
	c->asks_who_has = *end->missing && c->failed &&
			  !supervisor_package(s->supervisor, PACKAGE_WHO_HAS, end->missing,
					      on_who_has, s, NULL);
	return c->asks_who_has;
}

static void on_cell_end(void *data, const struct cell_end *end)
{
	struct session *s = data;
	struct cell *c = s->executor.current;
	enum step_next next;

	if (end->rolled_back)
		setup_again(&s->setup);
	if (!c || c->state != CELL_RUNNING)
		return;
	next = c->step->ended(s, c, end);
	if (!ask_who_has(s, c, end))
		go_to(s, next);
}

static void on_stopped(void *data, bool stands)
{
	debug_stops_on_stopped(data, stands);
}

void execute_interrupt(struct session *s)
{
	struct cell *c = s->executor.current;

	if (!c)
		return;
	c->interrupted = true;
	input_cancel(s);
	if (c->awaiting) {
		c->awaiting = false;
		eviction_interrupt(s->supervisor);
		cell_fail_interrupted(
			c, "interrupted while the session was restored; nothing was run");
		advance(s);
	} else if (c->state == CELL_MAGICS && c->cancel) {
		c->cancel(c->cancel_data);
	} else if (c->state == CELL_RUNNING || c->state == CELL_COMPILING) {
		supervisor_interrupt(s->supervisor);
	}
}

const struct session_hooks execute_hooks = { magic_done, looked, drop, start_next,
					     execute_interrupt };

const struct supervisor_callbacks execute_callbacks = {
	.on_compiled = on_compiled,
	.on_output = on_output,
	.on_input_request = on_input_request,
	.on_cell_end = on_cell_end,
	.on_stopped = on_stopped,
	.on_session = on_session,
};

void execute_release(struct executor *e)
{
	struct delivery *d;
	struct cell *c;

	if (e->current)
		cell_free(e->current);
	e->current = NULL;
	while ((c = subshells_take_next(&e->subshells)))
		cell_free(c);
	while ((d = comm_inbox_take(&e->inbox))) {
		request_end(d->request);
		delivery_free(d);
	}
}
