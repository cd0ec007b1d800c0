/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nothing is sent before the process has opened its file, but HISTORY_OPEN, so what waits for the
 * file waits here, where it has a limit and a deadline. Sending does not block: what the channel
 * does not take is tried again a tenth of a second later.
 */
#define _GNU_SOURCE
#include "kernel/session/history.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/record.h"
#include "common/protocol/history-protocol.h"
#include "common/protocol/history-query.h"
#include "common/protocol/ipc.h"
#include "kernel/base/loop.h"
#include "kernel/base/process.h"
#include "kernel/session/request.h"
#include "kernel/session/session.h"
#include "kernel/supervisor/supervisor.h"

#define WRITE_MS 100
#define SEND_MAX (1u << 20) /* so many bytes of rows are sent at once */
#define ROWS_MAX (8u << 20)
#define ANSWER_MS 5000
#define OPEN_MS 35000 /* cgpu-history gives up after 30 s, and takes memory */
#define END_MS 2000
#define PAUSE_MS 1000 /* before the second start in a row; it doubles with each of them */
#define PAUSE_DOUBLINGS 6
#define STEADY_MS 60000 /* the next death of a process that was this old is the first in a row */
#define TIMES_MAX 2

struct question {
	struct question *next;
	struct history *history;
	uint32_t id;
	unsigned times; /* it was asked */
	bool sent;      /* to the process that runs */
	bool newest_first, output;
	struct buffer body;
	struct loop_source *deadline;
	history_answer *fn;
	void *data;
};

struct history {
	char libexec[4096], path[4096];
	struct buffer confinement; /* empty: none */
	struct loop *loop;
	struct process process;
	uint64_t started_ms;
	unsigned failures; /* deaths in a row */
	bool is_open;      /* the process has said its place */
	struct loop_source *channel, *death, *restart;
	struct loop_source *timer; /* while something must be sent */

	/* Rows that are not said to be in the file, as HISTORY_ADD has them, up to number `last`;
	 * the first `sent` bytes are with the process that runs. */
	struct buffer rows;
	size_t sent;
	uint64_t kept, last;
	bool is_dropping;

	struct question *questions;
	uint32_t next_id;

	uint64_t session;
	char place[4200];   /* for the report */
	char problem[1024]; /* why there is no process; "" if there is one */
	struct doctor_row row;
};

static void on_channel(void *data);
static void on_death(void *data);
static void on_timer(void *data);

static void start_timer(struct history *h)
{
	if (!h->timer)
		h->timer = loop_add_timer(h->loop, WRITE_MS, on_timer, h);
}

/* ---- Questions ---- */

static void answer(struct question *q, json_t *rows)
{
	struct history *h = q->history;
	struct question **at = &h->questions;

	while (*at != q)
		at = &(*at)->next;
	*at = q->next;
	loop_remove(h->loop, q->deadline);
	q->fn(q->data, rows);
	buffer_release(&q->body);
	free(q);
}

static void on_no_answer(void *data)
{
	struct question *q = data;

	q->deadline = NULL;
	log_warning("history: cgpu-history does not answer; an empty history is shown");
	answer(q, json_array());
}

static void set_deadline(struct question *q, unsigned ms)
{
	loop_remove(q->history->loop, q->deadline);
	q->deadline = loop_add_timer(q->history->loop, ms, on_no_answer, q);
}

static json_t *reversed(json_t *rows)
{
	json_t *result = json_array();

	for (size_t i = json_array_size(rows); i > 0; i--)
		json_array_append(result, json_array_get(rows, i - 1));
	json_decref(rows);
	return result;
}

/* Reads the rows of an answer. One with text that is not UTF-8 is left out. */
static json_t *read_rows(const struct question *q, struct record *r)
{
	json_t *rows = json_array();

	while (!r->failed && r->at < r->end) {
		int64_t session = (int64_t)record_u64(r), line = (int64_t)record_u64(r);
		const char *input = record_str(r);
		bool has_output = record_u8(r);
		const char *output = record_str(r);

		if (!r->failed)
			json_array_append_new(rows,
					      json_pack(q->output ? "[I, I, [s, s?]]" : "[I, I, s]",
							(json_int_t)session, (json_int_t)line,
							input, has_output ? output : NULL));
	}
	if (r->failed)
		log_error("history: a malformed answer");
	return q->newest_first ? reversed(rows) : rows;
}

static void on_answer(struct history *h, struct record *r)
{
	uint32_t id = record_u32(r);
	struct question *q = h->questions;

	/* A question whose deadline has passed is not there any more. */
	while (q && q->id != id)
		q = q->next;
	if (q && !r->failed)
		answer(q, read_rows(q, r));
}

/* ---- Rows ---- */

/* Drops the rows up to this number. */
static void on_kept(struct history *h, uint64_t number)
{
	struct record r = record_open(h->rows.data, h->sent);

	for (; h->kept < number && !r.failed && r.at < r.end; h->kept++) {
		record_u8(&r);
		record_u64(&r);
		record_str(&r);
	}
	h->sent = (size_t)(r.end - r.at);
	buffer_consume(&h->rows, (size_t)(r.at - h->rows.data));
	if (!h->rows.len)
		buffer_release(&h->rows);
	h->is_dropping = false;
}

/* The functions that send return false when the message did not get into the channel. */
static bool send_rows(struct history *h)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;

	if (h->sent == h->rows.len)
		return true;
	record_put_u64(&b, h->last);
	buffer_append(&b, h->rows.data + h->sent, h->rows.len - h->sent);
	if (b.failed || ipc_send(h->process.sock, HISTORY_ADD, b.data, b.len, NULL, 0, NULL))
		return false;
	h->sent = h->rows.len;
	return true;
}

static bool send_question(struct history *h, struct question *q)
{
	if (q->sent)
		return true;
	if (ipc_send(h->process.sock, HISTORY_ASK, q->body.data, q->body.len, NULL, 0, NULL))
		return false;
	q->sent = true;
	q->times++;
	return true;
}

static void send_all(struct history *h)
{
	bool sent;

	if (!h->is_open)
		return;
	sent = send_rows(h);
	for (struct question *q = h->questions; sent && q; q = q->next)
		sent = send_question(h, q);
	if (!sent)
		start_timer(h);
}

static void on_timer(void *data)
{
	struct history *h = data;

	h->timer = NULL;
	send_all(h);
}

static void add(struct history *h, enum history_row row, uint32_t line, const char *text)
{
	cleanup_buffer struct buffer one = BUFFER_INIT;

	if (!h)
		return;
	record_put_u8(&one, (uint8_t)row);
	record_put_u64(&one, line);
	record_put_str(&one, text);
	if (one.failed || (h->rows.len && h->rows.len + one.len > ROWS_MAX)) {
		if (!h->is_dropping)
			log_warning("history: %s; the cells from here on are not in it",
				    one.failed ? "out of memory"
					       : "cgpu-history takes no more rows");
		h->is_dropping = true;
		return;
	}
	buffer_append(&h->rows, one.data, one.len);
	if (h->rows.failed) {
		log_warning("history: out of memory, a cell is not in it");
		h->rows.failed = false;
		return;
	}
	h->last++;
	if (h->rows.len - h->sent >= SEND_MAX)
		send_all(h);
	else
		start_timer(h);
}

void history_add(struct history *h, uint32_t line, const char *source)
{
	add(h, HISTORY_INPUT, line, source);
}

void history_add_output(struct history *h, uint32_t line, const char *text)
{
	add(h, HISTORY_OUTPUT, line, text);
}

/* ---- The process ---- */

static void unwatch(struct history *h)
{
	loop_remove(h->loop, h->channel);
	loop_remove(h->loop, h->death);
	h->channel = h->death = NULL;
}

static int spawn(struct history *h, struct error *err)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;

	record_put_u32(&b, HISTORY_PROTOCOL_VERSION);
	record_put_str(&b, h->path);
	record_put_u64(&b, h->session);
	if (buffer_check(&b, err) || buffer_check(&h->confinement, err) ||
	    process_spawn(&h->process, h->libexec, "cgpu-history", NULL, PROCESS_DIES_WITH_US, err))
		return -1;
	h->started_ms = loop_now_ms();
	h->channel = loop_add_fd(h->loop, h->process.sock, on_channel, h);
	h->death = loop_add_fd(h->loop, h->process.pidfd, on_death, h);
	fcntl(h->process.sock, F_SETFL, O_NONBLOCK);
	if (h->confinement.len)
		ipc_send(h->process.sock, HISTORY_CONFINE, h->confinement.data, h->confinement.len,
			 NULL, 0, NULL);
	/* The channel is empty; a process that has died already is noticed by its death. */
	ipc_send(h->process.sock, HISTORY_OPEN, b.data, b.len, NULL, 0, NULL);
	return 0;
}

static void on_restart(void *data);

/* Starts the process again: at once, or after a pause if it has died before. */
static void start_later(struct history *h)
{
	unsigned doublings = h->failures > PAUSE_DOUBLINGS ? PAUSE_DOUBLINGS : h->failures - 1;
	uint64_t pause = h->failures ? (uint64_t)PAUSE_MS << doublings : 0;

	h->failures++;
	h->restart = loop_add_timer(h->loop, pause, on_restart, h);
}

static void start(struct history *h)
{
	struct error err = ERROR_INIT;

	if (!spawn(h, &err)) {
		h->problem[0] = '\0';
		return;
	}
	if (!*h->problem)
		log_error("history: %s", err.text);
	snprintf(h->problem, sizeof(h->problem), "%s", err.text);
	start_later(h);
}

static void on_restart(void *data)
{
	struct history *h = data;

	h->restart = NULL;
	start(h);
}

static void on_place(struct history *h, struct record *r)
{
	const char *place = record_str(r);
	uint64_t session = record_u64(r);
	const char *version = record_str(r);

	if (r->failed)
		return;
	h->session = session;
	snprintf(h->place, sizeof(h->place),
		 strcmp(place, HISTORY_IN_MEMORY) ? "%s, SQLite %s" : "%s", place, version);
	h->is_open = true;
	for (struct question *q = h->questions; q; q = q->next)
		set_deadline(q, ANSWER_MS);
	send_all(h);
}

static void on_message(struct history *h, const struct ipc_message *m)
{
	struct record r = record_open(m->data, m->len);

	switch (m->type) {
	case HISTORY_PLACE:
		on_place(h, &r);
		break;
	case HISTORY_KEPT:
		on_kept(h, record_u64(&r));
		break;
	case HISTORY_ANSWER:
		on_answer(h, &r);
		break;
	}
}

static void on_channel(void *data)
{
	struct history *h = data;
	struct ipc_message m = { 0 };
	int got = ipc_receive(h->process.sock, 0, &m, NULL);

	if (got < 0) {
		/* End of file: the pidfd reports the death. */
		loop_remove(h->loop, h->channel);
		h->channel = NULL;
		pidfd_signal(h->process.pidfd, SIGKILL);
	}
	if (got <= 0)
		return;
	on_message(h, &m);
	ipc_message_release(&m);
}

/* Reads the messages that the process sent before it died; they still count. */
static void drain(struct history *h)
{
	struct ipc_message m = { 0 };

	while (ipc_receive(h->process.sock, 0, &m, NULL) > 0) {
		on_message(h, &m);
		ipc_message_release(&m);
	}
}

/* Readies the questions to be sent to the next process; one that was asked often enough gets no
 * rows, since it may be what the process dies of. */
static void take_back_questions(struct history *h)
{
	struct question *next;

	for (struct question *q = h->questions; q; q = next) {
		next = q->next;
		q->sent = false;
		if (q->times >= TIMES_MAX)
			answer(q, json_array());
	}
}

static void on_death(void *data)
{
	struct history *h = data;
	siginfo_t info;
	char how[64];

	drain(h);
	if (process_reap(&h->process, &info))
		return;
	process_death(&info, how, sizeof(how));
	log_warning("history: cgpu-history %s; it is started again", how);
	snprintf(h->problem, sizeof(h->problem), "cgpu-history %s", how);
	unwatch(h);
	process_end(&h->process, 0);
	h->is_open = false;
	h->sent = 0;
	if (loop_now_ms() - h->started_ms >= STEADY_MS)
		h->failures = 0;
	take_back_questions(h);
	start_later(h);
}

/* ---- Beginning and end ---- */

/* Sets the path so that a later %cd does not change it. */
static void set_path(struct history *h, const char *path)
{
	const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
	char *here;

	if (*path == '/')
		snprintf(h->path, sizeof(h->path), "%s", path);
	else if (*path && strcmp(path, "off") && (here = getcwd(NULL, 0))) {
		snprintf(h->path, sizeof(h->path), "%s/%s", here, path);
		free(here);
	} else if (!*path && data && *data == '/')
		snprintf(h->path, sizeof(h->path), "%s/cgpu/history.sqlite", data);
	else if (!*path && home && *home == '/')
		snprintf(h->path, sizeof(h->path), "%s/.local/share/cgpu/history.sqlite", home);
	else
		snprintf(h->path, sizeof(h->path), "%s", HISTORY_IN_MEMORY);
}

struct history *history_new(const char *libexec, const char *path, const struct buffer *confinement,
			    struct loop *loop)
{
	struct history *h = calloc(1, sizeof(*h));

	if (!h)
		return NULL;
	h->process = (struct process)PROCESS_INIT;
	h->loop = loop;
	snprintf(h->libexec, sizeof(h->libexec), "%s", libexec);
	set_path(h, path);
	if (confinement)
		buffer_append(&h->confinement, confinement->data, confinement->len);
	start(h);
	return h;
}

const pid_t *history_process(const struct history *h)
{
	return &h->process.pid;
}

/* Has the process write the last rows and close the file. */
static void end_process(struct history *h)
{
	struct error err = ERROR_INIT;
	bool sent;

	if (h->process.sock < 0 && h->rows.len && spawn(h, &err))
		log_warning("history: %s; the last cells are not in it", err.text);
	unwatch(h);
	if (h->process.sock < 0)
		return;
	fcntl(h->process.sock, F_SETFL, 0);
	ipc_set_send_deadline(h->process.sock, END_MS, NULL);
	sent = send_rows(h);
	/* Closing instead would be an error for the other end, which still has to read. */
	shutdown(h->process.sock, SHUT_RDWR);
	if (!sent || !process_wait(h->process.pidfd, END_MS))
		log_warning(
			"history: its file could not be written in time; it lacks the last cells");
	process_end(&h->process, END_MS);
}

void history_free(struct history *h)
{
	if (!h)
		return;
	while (h->questions)
		answer(h->questions, NULL);
	loop_remove(h->loop, h->timer);
	loop_remove(h->loop, h->restart);
	end_process(h);
	buffer_release(&h->rows);
	buffer_release(&h->confinement);
	free(h);
}

/* ---- What others ask ---- */

int history_ask(struct history *h, const struct history_query *query, history_answer *fn,
		void *data)
{
	struct question *q = h ? calloc(1, sizeof(*q)) : NULL, **at;

	if (!q)
		return -1;
	*q = (struct question){
		.history = h,
		.id = h->next_id++,
		.newest_first = query->kind != HISTORY_RANGE,
		.output = query->output,
		.fn = fn,
		.data = data,
	};
	record_put_u32(&q->body, q->id);
	history_query_put(query, &q->body);
	if (q->body.failed) {
		buffer_release(&q->body);
		free(q);
		return -1;
	}
	for (at = &h->questions; *at; at = &(*at)->next)
		continue;
	*at = q;
	set_deadline(q, h->is_open || h->process.sock < 0 ? ANSWER_MS : OPEN_MS);
	send_all(h);
	return 0;
}

const struct doctor_row *history_doctor(struct history *h)
{
	static const struct doctor_row none = { "history", false, "none: out of memory",
						"Start the kernel again." };
	bool memory;

	if (!h)
		return &none;
	memory = !strcmp(h->place, HISTORY_IN_MEMORY);
	h->row = (struct doctor_row){ "history", true, h->place, "" };
	if (*h->problem)
		h->row = (struct doctor_row){
			"history", false, h->problem,
			"It is started again by itself and then gets what it lacks; see the log of "
			"the kernel."
		};
	else if (!h->is_open)
		h->row.detail = "a file that is not open yet";
	else if (memory)
		h->row = (struct doctor_row){
			"history", false, h->place,
			"Input history of this session is lost at its end: see the log for why the "
			"file cannot be used, or set CGPU_HISTORY to another path."
		};
	return &h->row;
}

static void reply(void *data, json_t *rows)
{
	struct request *r = data;

	if (rows)
		request_reply(r, json_pack("{ss so}", "status", "ok", "history", rows));
	request_end(r);
}

void history_request(struct request *r)
{
	const char *type = request_text(r, "hist_access_type"),
		   *pattern = request_text(r, "pattern");
	const struct history_query q = {
		.kind = !strcmp(type, "tail")    ? HISTORY_TAIL
			: !strcmp(type, "range") ? HISTORY_RANGE
						 : HISTORY_SEARCH,
		.output = request_flag(r, "output", false),
		.unique = request_flag(r, "unique", false),
		.n = request_number(r, "n", -1),
		.session = request_number(r, "session", 0),
		.start = request_number(r, "start", 0),
		.stop = request_number(r, "stop", -1),
		.pattern = *pattern ? pattern : "*",
	};

	if (history_ask(r->session->history, &q, reply, r))
		request_reply(r, json_pack("{ss s[]}", "status", "ok", "history"));
	else
		request_keep(r);
}
