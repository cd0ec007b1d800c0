/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgpu-launcher: runs shell commands and writes files for cells, as the protocol in
 * common/protocol/launcher-protocol.h says. It waits for the kernel's messages and for the ends of
 * processes, and does nothing else.
 *
 * Commands must not signal the kernel process or other notebooks, and must be able to signal each
 * other's processes. Where Landlock scopes signals, this process and all its descendants are one
 * domain. Elsewhere they get process numbers of their own (a PID namespace): what has no number
 * there cannot be signalled. The first process stays outside and only waits, the second one is init
 * of the namespace, so everything ends with it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/record.h"
#include "common/base/regular-file.h"
#include "common/base/whole-io.h"
#include "common/protocol/ipc.h"
#include "common/protocol/launcher-protocol.h"
#include "common/protocol/worker-protocol.h"
#include "common/sandbox/confinement.h"
#include "common/sandbox/landlock.h"

struct launcher {
	int ends;        /* a signalfd, readable when a child has ended */
	uint32_t number; /* of the command that runs */
	pid_t command;   /* its process, which leads its group; 0: none */
	/* Landlock hides the connection file, in place of a mount namespace: for each command anew,
	 * since it allows only what is there when it begins, and earlier commands made files. */
	bool hides;
	struct timespec began;
	char hidden[PATH_MAX]; /* then, from the command that runs; "" otherwise */
};

/* ---- containment ---- */

/* The process outside: it ends as the one inside does, which reports its steps of containment. */
static _Noreturn void wait_outside(pid_t inside, const struct confinement *c)
{
	cleanup_buffer struct buffer list = BUFFER_INIT;
	int status = 0;

	close(LAUNCHER_SOCKET_FD);
	confinement_finish(c, &(struct sandbox_report){ &list, 0 });
	while (waitpid(inside, &status, 0) < 0 && errno == EINTR)
		;
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

/* Returns in the process inside. A failure leaves everything as it was. */
static int enter_process_namespace(const struct confinement *c, struct error *err)
{
	pid_t inside;

	if (unshare(CLONE_NEWPID))
		return error_errno(err, "this machine allows no process numbers of one's own");
	inside = fork();
	if (inside < 0)
		return error_errno(err, "fork");
	if (inside)
		wait_outside(inside, c);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* For `ps`, and only where mounts are this process's own. A container may not allow it;
	 * then /proc shows the numbers outside. */
	if (c->policy.in_force & SANDBOX_HIDE_FILE &&
	    mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL))
		log_info("/proc shows the processes of the whole machine: %s", strerror(errno));
	return 0;
}

static void confine(struct confinement *c, struct sandbox_report *report, void *data)
{
	struct launcher *l = data;
	struct error why = ERROR_INIT;

	confinement_hide(c, report);
	l->hides = sandbox_apply_hides_by_landlock(&c->policy, NULL);
	/* Each command does it. */
	if (l->hides)
		c->policy.hidden.path = "";
	if ((!(c->policy.flags & SANDBOX_LANDLOCK) || !landlock_has_scopes()) &&
	    enter_process_namespace(c, &why))
		sandbox_report_add(report, "no signals to other processes", why.text);
	confinement_finish(c, report);
}

/* The first message of the kernel process, and the answer. */
static int begin(struct launcher *l, struct error *err)
{
	const struct confinement_exchange x = { LAUNCHER_CONFINE, LAUNCHER_HELLO, confine, l };
	cleanup_buffer struct buffer b = BUFFER_INIT;

	record_put_u32(&b, LAUNCHER_PROTOCOL_VERSION);
	return confinement_begin(LAUNCHER_SOCKET_FD, &x, &b, err);
}

/* ---- commands ---- */

static int tell_end(uint32_t number, int status, const char *problem, const char *made_in,
		    struct error *err)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;

	record_put_u32(&b, number);
	record_put_u32(&b, (uint32_t)status);
	record_put_str(&b, problem);
	record_put_str(&b, made_in);
	return ipc_send_buffer(LAUNCHER_SOCKET_FD, LAUNCHER_ENDED, &b, err);
}

struct command {
	const char *text, *folder;
	char **environment;
	struct hidden_path hidden;
};

/* Ends the process where that fails: the command would see what cells must not. */
static void hide(const struct hidden_path *hidden)
{
	struct error err = ERROR_INIT;

	if (!hidden->path[0] || !sandbox_apply_landlock_hide(hidden, &err))
		return;
	dprintf(STDERR_FILENO, "the command cannot run: %s\n", err.text);
	_exit(127);
}

static _Noreturn void become_shell(const struct command *c, const int fds[2], bool hides,
				   pid_t parent)
{
	sigset_t none;
	int in = open("/dev/null", O_RDONLY);

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
	dup2(in, STDIN_FILENO);
	dup2(fds[0], STDOUT_FILENO);
	dup2(fds[1], STDERR_FILENO);
	syscall(SYS_close_range, STDERR_FILENO + 1, ~0u, 0u);
	if (hides)
		hide(&c->hidden);
	sigemptyset(&none);
	signal(SIGINT, SIG_DFL);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execle("/bin/sh", "sh", "-c", c->text, (char *)NULL, c->environment);
	_exit(127);
}

/* Forks with the interrupt blocked: the child ignores it at first, as this process does, and one
 * that comes before the shell begins would be lost. One that is blocked is not ignored. */
static pid_t fork_interruptible(void)
{
	sigset_t interrupt, before;
	pid_t child;

	sigemptyset(&interrupt);
	sigaddset(&interrupt, SIGINT);
	sigprocmask(SIG_BLOCK, &interrupt, &before);
	child = fork();
	if (child)
		sigprocmask(SIG_SETMASK, &before, NULL);
	return child;
}

static int start(struct launcher *l, const struct ipc_message *m, const struct command *c,
		 struct error *err)
{
	pid_t parent = getpid();

	if (m->n_fds != 2)
		return error_set(err, ERROR_PROTOCOL, "a command without its output");
	if (chdir(c->folder))
		return error_errno(err, "cannot go to %s", c->folder);
	l->command = fork_interruptible();
	if (!l->command)
		become_shell(c, m->fds, l->hides, parent);
	if (l->command < 0) {
		l->command = 0;
		return error_errno(err, "fork");
	}
	/* The child calls it, too: an interrupt may come before its own call. */
	setpgid(l->command, l->command);
	return 0;
}

static int on_run(struct launcher *l, const struct ipc_message *m, struct record *r,
		  struct error *err)
{
	uint32_t number = record_u32(r);
	struct command c = { .hidden = hidden_path_read(r) };
	const char *text = record_str(r), *folder = record_str(r);
	uint32_t n = record_count(r, 4);
	cleanup_free char **environment = calloc(n + 1, sizeof(*environment));
	struct error why = ERROR_INIT;

	c.text = text;
	c.folder = folder;
	c.environment = environment;
	if (!environment)
		return error_set(err, ERROR_MEMORY, "out of memory for a command");
	for (uint32_t i = 0; i < n; i++)
		environment[i] = (char *)record_str(r);
	if (record_check(r, "a command", err))
		return -1;
	l->number = number;
	snprintf(l->hidden, sizeof(l->hidden), "%s", l->hides ? c.hidden.path : "");
	/* Linux takes the times of files from this clock. */
	clock_gettime(CLOCK_REALTIME_COARSE, &l->began);
	if (start(l, m, &c, &why))
		return tell_end(number, 0, why.text, "", err);
	return 0;
}

static int write_file(const char *path, const char *folder, bool append, const char *content,
		      size_t len, struct error *err)
{
	cleanup_fd int fd = -1;

	if (chdir(folder))
		return error_errno(err, "cannot go to %s", folder);
	fd = regular_file_open(AT_FDCWD, path, O_WRONLY | O_CREAT | (append ? O_APPEND : O_TRUNC),
			       0666, err);
	if (fd < 0)
		return error_wrap(err, "cannot write %s", path);
	/* With O_APPEND the offset does not count. */
	if (whole_pwrite(fd, content, len, 0) < len)
		return error_errno(err, "cannot write %s", path);
	return 0;
}

static int on_write(struct record *r, struct error *err)
{
	uint32_t number = record_u32(r);
	const char *path = record_str(r), *folder = record_str(r);
	bool append = record_u8(r);
	size_t len;
	const char *content = record_bytes(r, &len);
	struct error why = ERROR_INIT;

	if (record_check(r, "a file", err))
		return -1;
	write_file(path, folder, append, content, len, &why);
	return tell_end(number, 0, why.text, "", err);
}

static int on_interrupt(const struct launcher *l, struct record *r, struct error *err)
{
	uint32_t number = record_u32(r);
	bool end = record_u8(r);

	if (record_check(r, "an interrupt", err))
		return -1;
	if (l->command && number == l->number)
		kill(-l->command, end ? SIGKILL : SIGINT);
	return 0;
}

static int handle(struct launcher *l, const struct ipc_message *m, struct error *err)
{
	struct record r = record_open(m->data, m->len);

	switch (m->type) {
	case LAUNCHER_RUN:
		return on_run(l, m, &r, err);
	case LAUNCHER_WRITE:
		return on_write(&r, err);
	case LAUNCHER_INTERRUPT:
		return on_interrupt(l, &r, err);
	default:
		return error_set(err, ERROR_PROTOCOL, "message %u is unknown", m->type);
	}
}

/* Returns a folder above what is hidden in which something was made since the command began; "":
 * none. What the command itself has made there it could not read. */
static const char *made_in(const struct launcher *l, char path[static PATH_MAX])
{
	struct stat st;
	char *slash;

	snprintf(path, PATH_MAX, "%s", l->hidden);
	while ((slash = strrchr(path, '/'))) {
		const char *folder = slash == path ? "/" : path;

		*slash = '\0';
		if (!stat(folder, &st) && (st.st_mtim.tv_sec > l->began.tv_sec ||
					   (st.st_mtim.tv_sec == l->began.tv_sec &&
					    st.st_mtim.tv_nsec >= l->began.tv_nsec)))
			return folder;
	}
	return "";
}

/* Reaps what has ended, also what commands have left behind. */
static int on_ends(struct launcher *l, struct error *err)
{
	struct signalfd_siginfo info;
	int status, failed = 0;
	char path[PATH_MAX];
	pid_t pid;

	if (read(l->ends, &info, sizeof(info)) < 0 && errno != EAGAIN)
		return error_errno(err, "cannot read which child has ended");
	while (!failed && (pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid != l->command)
			continue;
		l->command = 0;
		failed = tell_end(l->number, status, "", made_in(l, path), err);
	}
	return failed;
}

static int serve(struct launcher *l, struct error *err)
{
	struct pollfd fds[] = { { LAUNCHER_SOCKET_FD, POLLIN, 0 }, { l->ends, POLLIN, 0 } };
	struct ipc_message m;

	for (;;) {
		int got;

		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			return error_errno(err, "poll");
		if (fds[1].revents && on_ends(l, err))
			return -1;
		if (!fds[0].revents)
			continue;
		got = ipc_receive(LAUNCHER_SOCKET_FD, 0, &m, err);
		if (got < 0)
			return -1;
		if (!got)
			continue;
		got = handle(l, &m, err);
		ipc_message_release(&m);
		if (got)
			return -1;
	}
}

static int init(struct launcher *l, struct error *err)
{
	sigset_t ends;

	sigemptyset(&ends);
	sigaddset(&ends, SIGCHLD);
	if (sigprocmask(SIG_BLOCK, &ends, NULL))
		return error_errno(err, "sigprocmask");
	l->ends = signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
	if (l->ends < 0)
		return error_errno(err, "signalfd");
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	return 0;
}

int main(void)
{
	struct error err = ERROR_INIT;
	struct launcher l = { 0 };

	signal(SIGINT, SIG_IGN); /* the terminal's signal is meant for the kernel */
	if (begin(&l, &err) || init(&l, &err) || serve(&l, &err)) {
		if (err.code != ERROR_PEER_GONE)
			log_error("cgpu-launcher: %s", err.text);
		return err.code == ERROR_PEER_GONE ? EXIT_SUCCESS : EXIT_FAILURE;
	}
	return EXIT_SUCCESS;
}
