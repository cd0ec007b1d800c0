/* SPDX-License-Identifier: Apache-2.0 */
/*
 * !command, %%sh and %%bash: run by the launcher (kernel/launcher/), with the user's rights but for
 * those that reach the session. The output streams while they run. An interrupt goes to the process
 * group; a second one kills it, and a third one all that commands have left running.
 */
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "kernel/base/loop.h"
#include "kernel/machine-magics/shell-word.h"
#include "kernel/session/cell.h"
#include "kernel/session/magic.h"
#include "kernel/session/output.h"
#include "kernel/session/session.h"

struct command {
	struct session *session;
	struct cell *cell;
	const char *name;  /* of the magic */
	bool must_succeed; /* the cell fails with it */
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

/* Says that the command has failed: a line of output, or the error of the cell. */
static void tell_status(struct command *p, int status)
{
	const char *made_in = supervisor_command_made_in(p->session->supervisor);
	char text[120], evalue[160];

	if (WIFSIGNALED(status))
		snprintf(text, sizeof(text), "ended by signal %d (%s)", WTERMSIG(status),
			 strsignal(WTERMSIG(status)));
	else
		snprintf(text, sizeof(text), "exit status %d", WEXITSTATUS(status));
	if (!status)
		return;
	snprintf(evalue, sizeof(evalue), "%s: %s", p->name, text);
	if (p->must_succeed && !p->interrupted)
		cell_fail_plain(p->cell, "CommandFailed", evalue);
	else
		output_printf(&p->session->output, STREAM_STDERR, "%s\n", text);
	if (*made_in)
		output_printf(&p->session->output, STREAM_STDERR,
			      "On this machine a command cannot read what it has just made in %s "
			      "itself (%%doctor, \"namespace\"); the next command can. Run it "
			      "again, or make the file or folder before.\n",
			      made_in);
}

static void on_end(void *data, int status, const char *problem)
{
	struct command *p = data;
	struct session *s = p->session;
	struct error err = ERROR_INIT;

	for (int i = 0; i < STREAMS; i++)
		drain(p, i);
	if (*problem)
		error_set(&err, ERROR_SYSTEM, "%s: %s", p->name, problem);
	else if (p->interrupted)
		error_set(&err, ERROR_STATE, "interrupted; nothing after this line was run");
	tell_status(p, status);
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
	return failed ? error_wrap(err, "%s", p->name) : 0;
}

static int run(struct session *s, struct cell *c, const struct command *what, const char *text,
	       struct error *err)
{
	struct command *p = malloc(sizeof(*p));

	if (!p)
		return error_set(err, ERROR_MEMORY, "%s: out of memory", what->name);
	*p = *what;
	p->session = s;
	p->cell = c;
	p->pipes[STREAM_STDOUT] = p->pipes[STREAM_STDERR] = -1;
	if (start(p, text, err)) {
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

static int shell(struct session *s, struct cell *c, const struct magic_call *call,
		 struct error *err)
{
	const struct command what = { .name = "!" };

	if (!*call->args)
		return error_set(err, ERROR_INPUT, "!: a command is missing behind it");
	return run(s, c, &what, call->args, err);
}

/* %%sh and %%bash have no arguments: what stands behind the name would be lost. */
static int take_script(const struct magic_call *call, struct error *err)
{
	if (*call->args)
		return error_set(err, ERROR_INPUT,
				 "%%%%%s takes no arguments: the script stands in the lines below",
				 call->magic->name);
	if (!call->body[strspn(call->body, " \t\r\n")])
		return error_set(err, ERROR_INPUT, "%%%%%s: there is no script in the lines below",
				 call->magic->name);
	return 0;
}

static int sh(struct session *s, struct cell *c, const struct magic_call *call, struct error *err)
{
	const struct command what = { .name = "%%sh", .must_succeed = true };

	return take_script(call, err) ? -1 : run(s, c, &what, call->body, err);
}

static int bash(struct session *s, struct cell *c, const struct magic_call *call, struct error *err)
{
	const struct command what = { .name = "%%bash", .must_succeed = true };
	cleanup_buffer struct buffer text = BUFFER_INIT;

	if (take_script(call, err))
		return -1;
	buffer_puts(&text, "exec bash -c ");
	shell_word_put(call->body, &text);
	return buffer_check(&text, err) ? -1 : run(s, c, &what, buffer_text(&text), err);
}

const struct magic magic_sh = {
	.name = "sh",
	.alias = "",
	.forms = MAGIC_CELL,
	.usage = "%%sh",
	.help = "Runs the rest of the cell as a script of /bin/sh; the cell fails where it does.",
	.run = sh,
	.body = MAGIC_WORD_SHELL,
};

const struct magic magic_bash = {
	.name = "bash",
	.alias = "",
	.forms = MAGIC_CELL,
	.usage = "%%bash",
	.help = "Runs the rest of the cell as a script of bash; the cell fails where it "
		"does.\n\n"
		"What it changes of folder and environment ends with it: `%cd` and "
		"`%env` are for that.",
	.run = bash,
	.body = MAGIC_WORD_SHELL,
};

const struct magic magic_shell = {
	.name = "!",
	.alias = "",
	.forms = MAGIC_LINE,
	.usage = "!COMMAND",
	.help = "Runs a shell command on the machine of the kernel; its input is empty.\n\n"
		"It gets no new privileges, so sudo does not work.",
	.run = shell,
	.word = MAGIC_WORD_SHELL,
};
