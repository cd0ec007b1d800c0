/* SPDX-License-Identifier: Apache-2.0 */
/*
 * !command: a child of the kernel process, with the user's rights. It inherits no descriptor of the
 * kernel, has a process group of its own, and dies with the kernel. Its output streams while it
 * runs. An interrupt goes to its group; a second one kills it.
 */
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
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
	pid_t pid;
	int pidfd;
	int pipes[STREAMS];
	struct loop_source *sources[STREAMS], *end;
	unsigned interrupts;
};

static void command_free(struct command *p)
{
	for (int i = 0; i < STREAMS; i++) {
		loop_remove(p->session->loop, p->sources[i]);
		if (p->pipes[i] >= 0)
			close(p->pipes[i]);
	}
	loop_remove(p->session->loop, p->end);
	if (p->pidfd >= 0)
		close(p->pidfd);
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

static void on_exit_of_child(void *data)
{
	struct command *p = data;
	struct session *s = p->session;
	int status = 0;

	if (waitpid(p->pid, &status, WNOHANG) == 0)
		return;
	for (int i = 0; i < STREAMS; i++)
		drain(p, i);
	if (WIFSIGNALED(status))
		output_printf(&s->output, STREAM_STDERR, "ended by signal %d (%s)\n",
			      WTERMSIG(status), strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status))
		output_printf(&s->output, STREAM_STDERR, "exit status %d\n", WEXITSTATUS(status));
	command_free(p);
	s->hooks->magic_done(s, NULL);
}

static void interrupt(void *data)
{
	struct command *p = data;

	kill(-p->pid, p->interrupts++ ? SIGKILL : SIGINT);
}

/* Runs between fork and exec, so it makes system calls only. */
static void __attribute__((noreturn)) exec_shell(const char *command, int out, int err,
						 pid_t parent)
{
	sigset_t none;
	int in = open("/dev/null", O_RDONLY);

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
	dup2(in, 0);
	dup2(out, 1);
	dup2(err, 2);
	syscall(SYS_close_range, 3u, ~0u, 0u);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

static int start(struct command *p, const char *text, struct error *err)
{
	int out[2] = { -1, -1 }, errors[2] = { -1, -1 };
	pid_t parent = getpid();

	if (pipe2(out, O_CLOEXEC) || pipe2(errors, O_CLOEXEC)) {
		error_errno(err, "!: pipe");
	} else {
		p->pid = fork();
		if (!p->pid)
			exec_shell(text, out[1], errors[1], parent);
		if (p->pid < 0)
			error_errno(err, "!: fork");
		/* The parent calls it, too: an interrupt may come before the child's own
		 * call. */
		else
			setpgid(p->pid, p->pid);
	}
	close(out[1]);
	close(errors[1]);
	p->pipes[STREAM_STDOUT] = out[0];
	p->pipes[STREAM_STDERR] = errors[0];
	if (p->pid <= 0)
		return -1;
	p->pidfd = syscall(SYS_pidfd_open, p->pid, 0);
	if (p->pidfd < 0) {
		kill(-p->pid, SIGKILL);
		waitpid(p->pid, NULL, 0);
		return error_errno(err, "!: pidfd_open");
	}
	return 0;
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
	*p = (struct command){ .session = s, .pid = -1, .pidfd = -1, .pipes = { -1, -1 } };
	if (start(p, call->args, err)) {
		command_free(p);
		return -1;
	}
	for (int i = 0; i < STREAMS; i++) {
		fcntl(p->pipes[i], F_SETFL, O_NONBLOCK);
		p->sources[i] = loop_add_fd(s->loop, p->pipes[i],
					    i == STREAM_STDOUT ? on_stdout : on_stderr, p);
	}
	p->end = loop_add_fd(s->loop, p->pidfd, on_exit_of_child, p);
	c->cancel = interrupt;
	c->cancel_data = p;
	return 1;
}

const struct magic magic_shell = {
	.name = "!",
	.alias = "",
	.forms = MAGIC_LINE,
	.usage = "!COMMAND",
	.help = "Runs a shell command on the machine of the kernel; its input is empty.",
	.run = shell,
};
