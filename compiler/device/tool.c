/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The child asks for SIGTERM at the parent's death and then compares getppid(), in case the parent
 * died before. It reads /dev/null, writes to the log, has the folder as TMPDIR and closes all
 * other descriptors except the folder's lock, which it inherits as descriptor 3: the lock is held
 * until the last program that was started in the folder has ended, and only then may another
 * process remove it. A program that cannot be executed says so in the log and exits with 127,
 * which counts as a failure of the program.
 */
#define _GNU_SOURCE
#include "compiler/device/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "compiler/device/tool-folder.h"

#define LOCK_FD 3
#define GRACE_MS 500 /* between SIGTERM and SIGKILL */

static char *in_folder(const char *folder, const char *below, const char *name)
{
	char *path = NULL;

	if (!folder || !*folder || asprintf(&path, "%s%s%s", folder, below, name) < 0)
		return NULL;
	if (!access(path, X_OK))
		return path;
	free(path);
	return NULL;
}

char *tool_find(const char *name, const char *given, const char *cuda_root)
{
	const char *named = getenv(given), *list = getenv("PATH");
	const char *roots[] = { getenv("CUDA_HOME"), getenv("CUDA_PATH"), cuda_root,
				"/usr/local/cuda" };
	cleanup_free char *path = strdup(list ? list : "");
	char *found = NULL, *rest = NULL;

	if (named)
		return in_folder(named, "", "");
	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]) && !found; i++)
		found = in_folder(roots[i], "/bin/", name);
	for (char *dir = path ? strtok_r(path, ":", &rest) : NULL; dir && !found;
	     dir = strtok_r(NULL, ":", &rest))
		found = in_folder(dir, "/", name);
	return found;
}

static _Noreturn void become(const struct tool_folder *f, const char *log, const char *const *argv,
			     pid_t parent)
{
	int to = open(log, O_WRONLY | O_CREAT | O_APPEND, 0600), null = open("/dev/null", O_RDONLY);

	signal(SIGINT, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent || to < 0 || null < 0 || dup2(null, 0) < 0 || dup2(to, 1) < 0 ||
	    dup2(to, 2) < 0)
		_exit(126);
	/* Children of the program may outlive it, and this process: the inherited lock keeps others
	 * from reusing a folder in which they still write. */
	if (f->lock == LOCK_FD ? fcntl(LOCK_FD, F_SETFD, 0) : dup2(f->lock, LOCK_FD) < 0)
		_exit(126);
	close_range(LOCK_FD + 1, ~0u, 0);
	setenv("TMPDIR", f->path, 1);
	execvp(argv[0], (char *const *)argv);
	dprintf(2, "%s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

/* Waits for the program, and ends it after ms milliseconds; -1: it may take as long as it likes. */
static int await(pid_t pid, int ms, int *ret_status)
{
	struct pollfd end = { .fd = ms < 0 ? -1 : (int)syscall(SYS_pidfd_open, pid, 0),
			      .events = POLLIN };
	static const int signals[] = { SIGTERM, SIGKILL };

	for (size_t i = 0; end.fd >= 0 && i < 2 && !poll(&end, 1, i ? GRACE_MS : ms); i++)
		kill(pid, signals[i]);
	if (end.fd >= 0)
		close(end.fd);
	while (waitpid(pid, ret_status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return 0;
}

int tool_run_within(const struct tool_folder *f, const char *log, const char *const *argv, int ms,
		    struct error *err)
{
	pid_t parent = getpid(), pid = fork();
	int status;

	if (!pid)
		become(f, log, argv, parent);
	if (pid < 0)
		return error_errno(err, "cannot start %s", argv[0]);
	if (await(pid, ms, &status))
		return error_errno(err, "waitpid for %s", argv[0]);
	return status != 0;
}

int tool_run(const struct tool_folder *f, const char *log, const char *const *argv,
	     struct error *err)
{
	return tool_run_within(f, log, argv, -1, err);
}

int tool_read_file(const char *path, struct buffer *ret, struct error *err)
{
	cleanup_file FILE *f = fopen(path, "re");
	char part[16384];
	size_t n;

	if (!f)
		return error_errno(err, "cannot read %s", path);
	while ((n = fread(part, 1, sizeof(part), f)))
		buffer_append(ret, part, n);
	return ferror(f) ? error_errno(err, "cannot read %s", path) : buffer_check(ret, err);
}

int tool_write_file(const char *path, const void *bytes, size_t len, struct error *err)
{
	cleanup_file FILE *f = fopen(path, "we");

	if (!f || fwrite(bytes, 1, len, f) != len || fflush(f))
		return error_errno(err, "cannot write %s", path);
	return 0;
}
