/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests form a queue; all of it is sent at once and the head is the one at work. The encoded
 * body is kept until the answer is there, so that a restart can ask again: also the one at work,
 * once, since it may have been something else that ended the compiler, as the system does when
 * memory runs out.
 */
#include "kernel/workers/compiler-client.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/record.h"
#include "common/protocol/compiler-protocol.h"
#include "common/protocol/ipc.h"
#include "kernel/base/environment.h"
#include "kernel/base/loop.h"
#include "kernel/sandbox/sandbox.h"
#include "kernel/workers/told-declarations.h"

#define FAILURES_MAX 3
#define END_MS 500
#define DRAIN_MS 2000

struct compiler_request {
	struct compiler_request *next;
	uint32_t id;
	uint32_t type;
	struct buffer body; /* begins with the request id */
	uint64_t deadline_ms;
	bool is_last_try; /* if the compiler ends over it once more, it has no answer */
	compiler_answer *fn;
	void *data;
};

static void set_deadline(struct compiler_client *c);
static void on_channel(void *data);
static void on_death(void *data);

/* The order of messages does the rest: nothing is compiled before. */
static void confine(struct compiler_client *c)
{
	struct error err = ERROR_INIT;

	if (helper_setup_order(&c->setup, &c->process, COMPILER_CONFINE,
			       sandbox_compiler_filter(c->setup.sandbox), &err))
		log_warning("the compiler: %s", err.text);
}

static void tell_environment(struct compiler_client *c)
{
	const struct environment *e = c->setup.environment;

	for (size_t i = 0; i < e->n; i++) {
		cleanup_buffer struct buffer b = BUFFER_INIT;

		if (!e->is_change[i])
			continue;
		record_put_str(&b, e->texts[i]);
		compiler_client_tell(c, COMPILER_VARIABLE, &b);
	}
}

static int spawn(struct compiler_client *c, struct error *err)
{
	c->said_hello = false;
	if (process_spawn(&c->process, c->setup.dir, "cgpu-compiler", c->language,
			  PROCESS_DIES_WITH_US, err)) {
		c->failures++;
		return -1;
	}
	confine(c);
	tell_environment(c);
	if (c->loop) {
		c->channel = loop_add_fd(c->loop, c->process.sock, on_channel, c);
		c->death = loop_add_fd(c->loop, c->process.pidfd, on_death, c);
	}
	return 0;
}

void compiler_client_init(struct compiler_client *c, const struct helper_setup *setup,
			  const char *language, const struct told_declarations *declarations)
{
	*c = (struct compiler_client){ .setup = *setup,
				       .language = language,
				       .declarations = declarations,
				       .process = PROCESS_INIT,
				       .next_id = 1 };
}

int compiler_client_begin(struct compiler_client *c, struct error *err)
{
	return spawn(c, err);
}

void compiler_client_start(struct compiler_client *c, struct loop *loop)
{
	c->loop = loop;
	if (c->process.pidfd < 0)
		return;
	c->channel = loop_add_fd(loop, c->process.sock, on_channel, c);
	c->death = loop_add_fd(loop, c->process.pidfd, on_death, c);
}

static void request_free(struct compiler_request *r)
{
	buffer_release(&r->body);
	free(r);
}

static struct compiler_request *take_first(struct compiler_client *c)
{
	struct compiler_request *r = c->first;

	c->first = r->next;
	if (!c->first)
		c->last = NULL;
	return r;
}

/* Kills the compiler with nvcc and any other process that it has started. */
static void kill_group(struct compiler_client *c)
{
	if (c->process.pid > 0)
		kill(-c->process.pid, SIGKILL);
}

static void unwatch(struct compiler_client *c)
{
	loop_remove(c->loop, c->channel);
	loop_remove(c->loop, c->death);
	c->channel = c->death = NULL;
}

bool compiler_client_is_at_work(const struct compiler_client *c)
{
	return c->first != NULL;
}

void compiler_client_end(struct compiler_client *c)
{
	if (c->loop) {
		unwatch(c);
		loop_remove(c->loop, c->deadline);
		c->deadline = NULL;
	}
	kill_group(c);
	process_end(&c->process, END_MS);
	c->said_hello = false;
}

void compiler_client_release(struct compiler_client *c)
{
	compiler_client_end(c);
	if (c->loop)
		loop_remove(c->loop, c->retry);
	while (c->first)
		request_free(take_first(c));
	*c = (struct compiler_client){ .process = PROCESS_INIT };
}

/* Sends the request if the compiler lives. A dead process is no error, since its death sends the
 * request again; a message that cannot be sent to any process is one. */
static int try_send(struct compiler_client *c, uint32_t type, const struct buffer *b,
		    struct error *err)
{
	struct error mine = ERROR_INIT;

	if (c->process.sock < 0 ||
	    !ipc_send(c->process.sock, type, b->data, b->len, NULL, 0, &mine))
		return 0;
	if (mine.code == ERROR_TIMEOUT)
		kill_group(c);
	if (mine.code == ERROR_TIMEOUT || mine.code == ERROR_PEER_GONE)
		return 0;
	return error_set(err, mine.code, "the compiler cannot be asked: %s", mine.text);
}

static void send(struct compiler_client *c, uint32_t type, const struct buffer *b)
{
	struct error err = ERROR_INIT;

	if (try_send(c, type, b, &err))
		log_error("%s", err.text);
}

/* Sends all declarations to a compiler that was started again. */
static void send_declarations(struct compiler_client *c)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;

	told_declarations_put(c->declarations, &b);
	if (buffer_check(&b, NULL))
		log_error("out of memory for the session's declarations");
	else
		send(c, COMPILER_DECLARATIONS, &b);
}

static void answer(struct compiler_request *r, uint32_t type, const void *payload, size_t len)
{
	r->fn(r->data, type, payload, len);
	request_free(r);
}

/* Gives every request that waits an answer without data. It runs from the loop. */
static void on_hopeless(void *data)
{
	struct compiler_client *c = data;

	c->retry = NULL;
	while (c->first)
		answer(take_first(c), 0, NULL, 0);
	set_deadline(c);
}

static void give_up_soon(struct compiler_client *c)
{
	if (!c->retry)
		c->retry = loop_add_timer(c->loop, 0, on_hopeless, c);
}

static void start_again(struct compiler_client *c)
{
	struct error err = ERROR_INIT;

	if (c->failures >= FAILURES_MAX || spawn(c, &err)) {
		log_error("the compiler does not start: %s",
			  c->failures >= FAILURES_MAX ? c->last_death : err.text);
		give_up_soon(c);
		return;
	}
	c->restarts++;
	if (c->declarations && c->declarations->n)
		send_declarations(c);
	for (struct compiler_request *r = c->first; r; r = r->next)
		send(c, r->type, &r->body);
	set_deadline(c);
}

static void take_hello(struct compiler_client *c, struct record *r)
{
	uint32_t version = record_u32(r);

	if (!helper_setup_speaks(&c->process, "cgpu-compiler", version, COMPILER_PROTOCOL_VERSION))
		return;
	snprintf(c->clang, sizeof(c->clang), "%s", record_str(r));
	helper_setup_take_report(&c->setup, "the compiler", r);
	c->said_hello = true;
	c->failures = 0;
	if (c->loop)
		set_deadline(c);
}

static void on_message(struct compiler_client *c, const struct ipc_message *m)
{
	struct record r = record_open(m->data, m->len);
	struct compiler_request *head = c->first;

	if (m->type == COMPILER_HELLO) {
		take_hello(c, &r);
		return;
	}
	if (!head || record_u32(&r) != head->id) {
		log_error(
			"the compiler answers what was not asked (message %u); it is started again",
			m->type);
		pidfd_signal(c->process.pidfd, SIGKILL);
		return;
	}
	take_first(c);
	set_deadline(c);
	answer(head, m->type, r.at, (size_t)(r.end - r.at));
}

void compiler_client_await_hello(struct compiler_client *c, int ms)
{
	struct ipc_message m = { 0 };

	if (c->said_hello || c->process.sock < 0 ||
	    ipc_receive_of(c->process.sock, c->process.pid, ms, &m, NULL) <= 0)
		return;
	on_message(c, &m);
	ipc_message_release(&m);
}

static void on_channel(void *data)
{
	struct compiler_client *c = data;
	struct ipc_message m = { 0 };

	for (int n = 0; n < 16 && c->process.sock >= 0; n++) {
		int got = ipc_receive_of(c->process.sock, c->process.pid, 0, &m, NULL);

		if (got < 0) {
			/* End of file: the pidfd reports the death. */
			loop_remove(c->loop, c->channel);
			c->channel = NULL;
			pidfd_signal(c->process.pidfd, SIGKILL);
		}
		if (got <= 0)
			return;
		on_message(c, &m);
		ipc_message_release(&m);
	}
}

/* Reads the messages that the compiler sent before it died; they still count. A process that a cell
 * has started by way of the compiler may have its end of the socket and go on sending. */
static void drain(struct compiler_client *c)
{
	struct pollfd more = { .fd = c->process.sock, .events = POLLIN };
	uint64_t end = loop_now_ms() + DRAIN_MS;
	struct ipc_message m = { 0 };

	while (loop_now_ms() < end && poll(&more, 1, 0) > 0) {
		int got = ipc_receive_of(c->process.sock, c->process.pid, 0, &m, NULL);

		if (got < 0)
			return;
		if (!got)
			continue;
		on_message(c, &m);
		ipc_message_release(&m);
	}
}

/* Returns the request that has ended the compiler twice, or was given up; NULL: the one at work is
 * asked again. */
static struct compiler_request *take_lost(struct compiler_client *c)
{
	if (!c->first)
		return NULL;
	if (c->first->is_last_try)
		return take_first(c);
	c->first->is_last_try = true;
	return NULL;
}

static void on_death(void *data)
{
	struct compiler_client *c = data;
	struct compiler_request *lost = NULL;
	pid_t group = c->process.pid;
	siginfo_t info;

	drain(c);
	/* The zombie keeps its pid, so the process group cannot be anybody else's yet. */
	kill_group(c);
	if (process_reap(&c->process, &info))
		return;
	while (waitpid(-group, NULL, WNOHANG) > 0)
		continue;
	c->died_at_start = !c->said_hello;
	process_death(&info, c->last_death, sizeof(c->last_death));
	c->out_of_memory = info.si_code == CLD_EXITED && info.si_status == COMPILER_EXIT_MEMORY;
	/* It would need as much again. */
	if (c->out_of_memory && c->first)
		c->first->is_last_try = true;
	if (c->given_up)
		snprintf(c->last_death, sizeof(c->last_death), "did not %s and was ended",
			 c->said_hello ? "answer" : "start");
	c->given_up = false;
	unwatch(c);
	process_end(&c->process, 0);
	/* A death that was asked for costs nothing. */
	if (!c->renewed) {
		c->failures += !c->said_hello;
		lost = take_lost(c);
		log_warning("the compiler %s; it is started again%s", c->last_death,
			    c->first && !lost ? " and asked once more" : "");
	}
	c->renewed = false;
	start_again(c);
	if (lost)
		answer(lost, 0, NULL, 0);
}

/*
 * The deadline of the request at work has passed. A compiler that starts must load LLVM, perhaps
 * from a slow disk, so it gets the time that any peer gets, also for a request without a deadline.
 */
static void on_deadline(void *data)
{
	struct compiler_client *c = data;

	c->deadline = NULL;
	if (!c->first)
		return;
	if (cpu_deadline_used_ms(&c->cpu_deadline) <
	    (c->said_hello ? c->first->deadline_ms : CPU_DEADLINE_END_MS)) {
		c->deadline = loop_add_timer(c->loop, CPU_DEADLINE_LOOK_MS, on_deadline, c);
		return;
	}
	c->given_up = true;
	compiler_client_abandon(c);
}

static void set_deadline(struct compiler_client *c)
{
	loop_remove(c->loop, c->deadline);
	c->deadline = NULL;
	if (!c->first || (!c->first->deadline_ms && c->said_hello))
		return;
	cpu_deadline_begin(&c->cpu_deadline, c->process.pid, CPU_DEADLINE_ANSWER);
	c->deadline = loop_add_timer(c->loop, CPU_DEADLINE_LOOK_MS, on_deadline, c);
}

void compiler_client_abandon(struct compiler_client *c)
{
	if (c->first)
		c->first->is_last_try = true;
	kill_group(c);
}

void compiler_client_renew(struct compiler_client *c)
{
	c->renewed = c->process.pid > 0;
	kill_group(c);
}

void compiler_client_tell(struct compiler_client *c, uint32_t type, const struct buffer *body)
{
	if (body->failed)
		log_error("out of memory for a message to the compiler");
	else
		send(c, type, body);
}

static struct compiler_request *request_new(struct compiler_client *c, uint32_t type,
					    const struct buffer *body, struct error *err)
{
	struct compiler_request *r = buffer_check(body, NULL) ? NULL : calloc(1, sizeof(*r));

	if (r) {
		r->id = c->next_id++;
		r->type = type;
		record_put_u32(&r->body, r->id);
		buffer_append(&r->body, body->data, body->len);
	}
	if (r && !r->body.failed)
		return r;
	if (r)
		request_free(r);
	error_set(err, ERROR_MEMORY,
		  "the kernel process is out of memory for a question to the compiler");
	return NULL;
}

int compiler_client_ask(struct compiler_client *c, uint32_t type, const struct buffer *body,
			uint64_t deadline_ms, compiler_answer *fn, void *data, struct error *err)
{
	struct compiler_request *r = request_new(c, type, body, err);

	if (!r)
		return -1;
	r->deadline_ms = deadline_ms;
	r->fn = fn;
	r->data = data;
	if (c->process.pidfd >= 0 && try_send(c, type, &r->body, err)) {
		request_free(r);
		return -1;
	}
	if (c->last)
		c->last->next = r;
	else
		c->first = r;
	c->last = r;
	if (c->process.pidfd < 0) {
		/* The last start failed; a new request starts the compiler again. */
		c->failures = 0;
		start_again(c);
		return 0;
	}
	if (c->first == r)
		set_deadline(c);
	return 0;
}
