/* SPDX-License-Identifier: Apache-2.0 */
/*
 *	launcher --fork--> front --fork--> guard --fork--> kernel process --> workers, commands, ...
 *
 * A process whose parent has died becomes a child of the nearest subreaper above. While the kernel
 * process lives that is the kernel process itself, and behind it the guard: so nothing that was
 * started below can get away from it, and no mark is needed that it could take off.
 *
 * The front is the process that the launcher knows. It hands the launcher's signals on, and may be
 * killed with its whole process group: the guard is in another one, sees it (by a parent-death
 * signal), and kills the kernel process. The guard may be killed, too: the kernel process then dies
 * with it, and the front does the guard's work. Both wait for signals only, have no open file but
 * the standard ones, and have never seen the signing key.
 */
#define _GNU_SOURCE
#include "kernel/base/guard.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/cleanup.h"
#include "common/base/clock.h"
#include "common/base/error.h"
#include "kernel/base/process-tree.h"

#define SIGNAL_ABOVE SIGUSR1 /* the process above has ended */
#define FOUND_MAX 4096
#define ROUND_NS 1000000
#define END_MS 5000 /* for what hangs inside Linux */

/* The signals that are handed on. */
static const int handed_on[] = { SIGINT, SIGTERM, SIGHUP };

static void awaited(sigset_t *ret)
{
	sigemptyset(ret);
	sigaddset(ret, SIGCHLD);
	sigaddset(ret, SIGNAL_ABOVE);
	for (size_t i = 0; i < sizeof(handed_on) / sizeof(handed_on[0]); i++)
		sigaddset(ret, handed_on[i]);
}

/* Reaps whatever has ended; true when the process is among them, with its status. */
static bool reap(pid_t pid, int *ret_status)
{
	bool found = false;
	pid_t ended;
	int status;

	while ((ended = waitpid(-1, &status, WNOHANG | __WALL)) > 0) {
		if (ended != pid)
			continue;
		found = true;
		*ret_status = status;
	}
	return found;
}

/* Kills all descendants, again and again, since they may start others meanwhile and those become
 * children of this process. */
static void end_all_below(void)
{
	const struct timespec pause = { 0, ROUND_NS };
	pid_t *pids = malloc(FOUND_MAX * sizeof(*pids));
	uint64_t end = (uint64_t)clock_now_ms() + END_MS;
	size_t n;
	int none;

	while (pids && (n = process_tree_below(getpid(), pids, FOUND_MAX)) &&
	       (uint64_t)clock_now_ms() < end) {
		while (n--)
			kill(pids[n], SIGKILL);
		nanosleep(&pause, NULL);
		reap(0, &none);
	}
	free(pids);
}

/* Removes the folder and the files in it. A folder that a cell has made there stays. */
static void remove_folder(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	cleanup_dir DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *d;

	while (dir && (d = readdir(dir)))
		unlinkat(fd, d->d_name, 0);
	rmdir(path);
}

/* Ends as the process below did. */
static _Noreturn void end_as(int status)
{
	const struct rlimit no_core = { 0, 0 };
	sigset_t all;

	if (!WIFSIGNALED(status))
		_exit(WEXITSTATUS(status));
	setrlimit(RLIMIT_CORE, &no_core);
	signal(WTERMSIG(status), SIG_DFL);
	sigfillset(&all);
	sigprocmask(SIG_UNBLOCK, &all, NULL);
	kill(getpid(), WTERMSIG(status));
	_exit(128 + WTERMSIG(status));
}

/* Goes on as front or guard until the process below has ended. `above`: the process that was above
 * at the start, 0 for the front, whose end the kernel process watches itself. `folder`: that of
 * guard_enter(). */
static _Noreturn void watch(pid_t below, pid_t above, const char *folder)
{
	sigset_t set;
	int status = 0;

	/* Not before the fork: the kernel process reads its own page map and makes namespaces
	 * first, which an ordinary user's process can do only while it is dumpable. */
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	awaited(&set);
	syscall(SYS_close_range, STDERR_FILENO + 1, ~0u, 0);
	while (!reap(below, &status)) {
		int sig = sigwaitinfo(&set, NULL);

		if (above && getppid() != above)
			kill(below, SIGKILL);
		else if (sig > 0 && sig != SIGCHLD && sig != SIGNAL_ABOVE)
			kill(below, sig);
	}
	end_all_below();
	remove_folder(folder);
	end_as(status);
}

/* Forks; the child has a session of its own, which no process below can enter the groups of, and
 * hears of the parent's end. */
static pid_t fork_below(int signal_above, struct error *err)
{
	pid_t parent = getpid(), pid = fork();

	if (pid < 0)
		return error_errno(err, "cannot start the process that guards the kernel process");
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, signal_above);
	if (getppid() != parent)
		_exit(EXIT_FAILURE);
	setsid();
	return 0;
}

int guard_enter(const char *folder, struct error *err)
{
	pid_t front = getpid(), pid;
	sigset_t set, before;

	awaited(&set);
	sigprocmask(SIG_BLOCK, &set, &before);
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	pid = fork_below(SIGNAL_ABOVE, err);
	if (pid > 0)
		watch(pid, 0, folder);
	if (pid)
		return -1;
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	pid = fork_below(SIGKILL, err);
	if (pid > 0)
		watch(pid, front, folder);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return pid;
}
