/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All that is awaited is one LAUNCHER_ENDED with the number of what was asked for last, or the
 * death of the process.
 */
#include "kernel/workers/launcher-client.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/record.h"
#include "common/protocol/ipc.h"
#include "common/protocol/launcher-protocol.h"
#include "kernel/base/environment.h"
#include "kernel/base/loop.h"
#include "kernel/sandbox/hidden-paths.h"
#include "kernel/sandbox/sandbox.h"

#define END_MS 500
#define MESSAGES_AT_ONCE 16

static void on_channel(void *data);
static void on_death(void *data);

void launcher_client_init(struct launcher_client *c, const struct helper_setup *setup)
{
	*c = (struct launcher_client){ .setup = *setup, .process = PROCESS_INIT };
}

void launcher_client_start(struct launcher_client *c, struct loop *loop)
{
	c->loop = loop;
}

/* Kills the process and the group of the command at work. What commands have left in groups of
 * their own ends with the kernel process. */
static void end(struct launcher_client *c)
{
	if (c->loop) {
		loop_remove(c->loop, c->channel);
		loop_remove(c->loop, c->death);
		c->channel = c->death = NULL;
	}
	process_end(&c->process, END_MS);
}

void launcher_client_release(struct launcher_client *c)
{
	end(c);
	*c = (struct launcher_client){ .process = PROCESS_INIT };
}

static int send(struct launcher_client *c, uint32_t type, const struct buffer *b, const int *fds,
		unsigned n_fds, struct error *err)
{
	if (buffer_check(b, err) ||
	    ipc_send(c->process.sock, type, b->data, b->len, fds, n_fds, err))
		return error_wrap(err, "cgpu-launcher");
	return 0;
}

static int spawn(struct launcher_client *c, struct error *err)
{
	if (c->process.pid)
		return 0;
	if (helper_setup_start(&c->setup, &c->process, "cgpu-launcher", LAUNCHER_CONFINE,
			       sandbox_command_filter(c->setup.sandbox), err))
		return -1;
	c->channel = loop_add_fd(c->loop, c->process.sock, on_channel, c);
	c->death = loop_add_fd(c->loop, c->process.pidfd, on_death, c);
	return 0;
}

static void tell_ended(struct launcher_client *c, int status, const char *problem)
{
	launcher_ended *fn = c->fn;

	c->fn = NULL;
	if (fn)
		fn(c->data, status, problem);
}

static void take_hello(struct launcher_client *c, struct record *r)
{
	uint32_t version = record_u32(r);

	if (helper_setup_speaks(&c->process, "cgpu-launcher", version, LAUNCHER_PROTOCOL_VERSION))
		helper_setup_take_report(&c->setup, "commands", r);
}

static void on_message(struct launcher_client *c, const struct ipc_message *m)
{
	struct record r = record_open(m->data, m->len);
	uint32_t number, status;
	const char *problem, *made_in;

	if (m->type == LAUNCHER_HELLO) {
		take_hello(c, &r);
		return;
	}
	number = record_u32(&r);
	status = record_u32(&r);
	problem = record_str(&r);
	made_in = record_str(&r);
	if (m->type != LAUNCHER_ENDED || r.failed || number != c->number)
		return;
	snprintf(c->made_in, sizeof(c->made_in), "%s", made_in);
	tell_ended(c, (int)status, problem);
	*c->made_in = '\0';
}

/* Returns false at the end of the stream. */
static bool take_messages(struct launcher_client *c)
{
	struct ipc_message m = { 0 };

	for (int n = 0; n < MESSAGES_AT_ONCE && c->process.sock >= 0; n++) {
		int got = ipc_receive(c->process.sock, 0, &m, NULL);

		if (got <= 0)
			return !got;
		on_message(c, &m);
		ipc_message_release(&m);
	}
	return true;
}

static void on_channel(void *data)
{
	struct launcher_client *c = data;

	if (take_messages(c))
		return;
	/* The pidfd reports the death. */
	loop_remove(c->loop, c->channel);
	c->channel = NULL;
	pidfd_signal(c->process.pidfd, SIGKILL);
}

static void on_death(void *data)
{
	struct launcher_client *c = data;
	char how[64], problem[160];
	siginfo_t info;

	take_messages(c);
	if (process_reap(&c->process, &info))
		return;
	log_warning("cgpu-launcher %s", process_death(&info, how, sizeof(how)));
	end(c);
	snprintf(problem, sizeof(problem), "the process that runs commands %s; it is started again",
		 how);
	tell_ended(c, 0, problem);
}

/* Begins the record of an action: its number. */
static int begin(struct launcher_client *c, struct buffer *b, char folder[PATH_MAX],
		 struct error *err)
{
	if (c->fn)
		return error_set(err, ERROR_STATE, "another command is at work");
	if (!getcwd(folder, PATH_MAX))
		return error_errno(err, "the working folder is gone");
	if (spawn(c, err))
		return -1;
	record_put_u32(b, ++c->number);
	c->interrupts = 0;
	return 0;
}

/* Sends the action that begin() has begun. */
static int finish(struct launcher_client *c, uint32_t type, const struct buffer *b, const int *fds,
		  unsigned n_fds, launcher_ended *fn, void *data, struct error *err)
{
	if (send(c, type, b, fds, n_fds, err))
		return -1;
	c->fn = fn;
	c->data = data;
	return 0;
}

int launcher_client_run(struct launcher_client *c, const char *command, int out, int errors,
			launcher_ended *fn, void *data, struct error *err)
{
	const struct environment *e = c->setup.environment;
	cleanup_buffer struct buffer b = BUFFER_INIT;
	char folder[PATH_MAX];

	if (begin(c, &b, folder, err))
		return -1;
	hidden_paths_put_one(c->setup.hidden, &b);
	record_put_str(&b, command);
	record_put_str(&b, folder);
	record_put_u32(&b, (uint32_t)e->n);
	for (size_t i = 0; i < e->n; i++)
		record_put_str(&b, e->texts[i]);
	return finish(c, LAUNCHER_RUN, &b, (int[]){ out, errors }, 2, fn, data, err);
}

int launcher_client_write(struct launcher_client *c, const char *path, bool append,
			  const char *content, size_t len, launcher_ended *fn, void *data,
			  struct error *err)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;
	char folder[PATH_MAX];

	if (begin(c, &b, folder, err))
		return -1;
	record_put_str(&b, path);
	record_put_str(&b, folder);
	record_put_u8(&b, append);
	record_put_bytes(&b, content, len);
	return finish(c, LAUNCHER_WRITE, &b, NULL, 0, fn, data, err);
}

void launcher_client_interrupt(struct launcher_client *c)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;

	if (!c->fn)
		return;
	if (++c->interrupts > 2) {
		pidfd_signal(c->process.pidfd, SIGKILL);
		return;
	}
	record_put_u32(&b, c->number);
	record_put_u8(&b, c->interrupts > 1);
	send(c, LAUNCHER_INTERRUPT, &b, NULL, 0, NULL);
}
