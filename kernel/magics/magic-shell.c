/* SPDX-License-Identifier: Apache-2.0 */
/*
 * !command: run by the launcher (kernel/launcher/), with the user's rights but for those that reach
 * the session. Its output streams while it runs. An interrupt goes to its process group; a second
 * one kills it, and a third one all that commands have left running.
 */
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/error.h"
#include "kernel/base/loop.h"
#include "kernel/session/cell.h"
#include "kernel/session/magic.h"
#include "kernel/session/output.h"
#include "kernel/session/session.h"

struct command {
	struct session *session;
	int pipes[STREAMS];
	struct loop_source *sources[STREAMS];
	bool interrupted;
};

static void command_free(struct command *p)
{
	for (int i = 0; i < STREAMS; i++) {
		loop_remove(p->session->loop, p->sources[i]);
		if (p->pipes[i] >= 0)
			close(p->pipes[i]);
	}
	free(p);
}

/* Reads what the pipe has; false at its end. */
static bool take(struct command *p, int which)
{
	char part[64 * 1024];
	ssize_t n = read(p->pipes[which], part, sizeof(part));

	if (n > 0)
		output_text(&p->session->output, which, part, n);
	return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

static void on_readable(struct command *p, int which)
{
	if (take(p, which))
		return;
	loop_remove(p->session->loop, p->sources[which]);
	p->sources[which] = NULL;
}

static void on_stdout(void *data)
{
	on_readable(data, STREAM_STDOUT);
}

static void on_stderr(void *data)
{
	on_readable(data, STREAM_STDERR);
}

/* Reads what the pipe has at the end of the command. Its background children may keep the pipe
 * open, and are not waited for. */
static void drain(struct command *p, int which)
{
	char part[64 * 1024];
	ssize_t n;

	while ((n = read(p->pipes[which], part, sizeof(part))) > 0)
		output_text(&p->session->output, which, part, n);
}

static void on_end(void *data, int status, const char *problem)
{
	struct command *p = data;
	struct session *s = p->session;
	struct error err = ERROR_INIT;

	for (int i = 0; i < STREAMS; i++)
		drain(p, i);
	if (*problem)
		error_set(&err, ERROR_SYSTEM, "!: %s", problem);
	else if (p->interrupted)
		error_set(&err, ERROR_STATE, "interrupted; nothing after this line was run");
	if (WIFSIGNALED(status))
		output_printf(&s->output, STREAM_STDERR, "ended by signal %d (%s)\n",
			      WTERMSIG(status), strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status))
		output_printf(&s->output, STREAM_STDERR, "exit status %d\n", WEXITSTATUS(status));
	command_free(p);
	s->hooks->magic_done(s, *err.text ? &err : NULL);
}

static void interrupt(void *data)
{
	struct command *p = data;

	p->interrupted = true;
	supervisor_interrupt_command(p->session->supervisor);
}

static int start(struct command *p, const char *text, struct error *err)
{
	int out[2] = { -1, -1 }, errors[2] = { -1, -1 }, failed;

	if (pipe2(out, O_CLOEXEC) || pipe2(errors, O_CLOEXEC))
		failed = error_errno(err, "pipe");
	else
		failed = supervisor_command(p->session->supervisor, text, out[1], errors[1], on_end,
					    p, err);
	close(out[1]);
	close(errors[1]);
	p->pipes[STREAM_STDOUT] = out[0];
	p->pipes[STREAM_STDERR] = errors[0];
	return failed ? error_wrap(err, "!") : 0;
}

static int shell(struct session *s, struct cell *c, const struct magic_call *call,
		 struct error *err)
{
	struct command *p;

	if (!*call->args)
		return error_set(err, ERROR_INPUT, "!: a command is missing behind it");
	p = calloc(1, sizeof(*p));
	if (!p)
		return error_set(err, ERROR_MEMORY, "!: out of memory");
	*p = (struct command){ .session = s, .pipes = { -1, -1 } };
	if (start(p, call->args, err)) {
		command_free(p);
		return -1;
	}
	for (int i = 0; i < STREAMS; i++) {
		fcntl(p->pipes[i], F_SETFL, O_NONBLOCK);
		p->sources[i] = loop_add_fd(s->loop, p->pipes[i],
					    i == STREAM_STDOUT ? on_stdout : on_stderr, p);
	}
	c->cancel = interrupt;
	c->cancel_data = p;
	return 1;
}

const struct magic magic_shell = {
	.name = "!",
	.alias = "",
	.forms = MAGIC_LINE,
	.usage = "!COMMAND",
	.help = "Runs a shell command on the machine of the kernel; its input is empty.\n"
		"It gets no new privileges, so sudo does not work.",
	.run = shell,
};
