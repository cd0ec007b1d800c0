/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A child makes a mount namespace, and for an ordinary user a user namespace, mounts the file
 * system there, and hands over descriptors of the two roots before it ends. The namespace ends with
 * it; the mounts live on as long as files of them are open, and nobody can reach or change them.
 */
#define _GNU_SOURCE
#include "kernel/sandbox/read-only-mount.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/protocol/ipc.h"
#include "common/sandbox/sandbox-apply.h"

#define DEADLINE_MS 5000
/* Folders that every Linux has; only the child sees what is mounted there. */
#define FIRST "/proc"
#define SECOND "/sys"

enum answer { MADE = 1, NOT_MADE };

static int mount_both(int ret_roots[2], struct error *err)
{
	if (sandbox_apply_mount_namespace(err))
		return -1;
	if (mount("cgpu", FIRST, "tmpfs", MS_NOSUID | MS_NODEV, "size=0,nr_inodes=0,mode=0700"))
		return error_errno(err, "cannot mount a file system in memory");
	if (mount(FIRST, SECOND, NULL, MS_BIND, NULL) ||
	    mount(NULL, SECOND, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV,
		  NULL))
		return error_errno(err, "cannot mount it for reading only");
	ret_roots[0] = open(FIRST, O_PATH | O_DIRECTORY | O_CLOEXEC);
	ret_roots[1] = open(SECOND, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (ret_roots[0] < 0 || ret_roots[1] < 0)
		return error_errno(err, "cannot open it");
	return 0;
}

static _Noreturn void be_child(int sock)
{
	struct error err = ERROR_INIT;
	int roots[2];

	if (mount_both(roots, &err))
		ipc_send(sock, NOT_MADE, err.text, strlen(err.text) + 1, NULL, 0, NULL);
	else
		ipc_send(sock, MADE, NULL, 0, roots, 2, NULL);
	_exit(0);
}

static int take(struct read_only_mount *m, int sock, struct error *err)
{
	struct ipc_message answer;
	int got = ipc_receive(sock, DEADLINE_MS, &answer, err);

	if (got <= 0)
		return got < 0 ? -1
			       : error_set(err, ERROR_TIMEOUT, "the mount takes more than %d ms",
					   DEADLINE_MS);
	if (answer.type == MADE && answer.n_fds == 2) {
		m->writable = steal_fd(&answer.fds[0]);
		m->readable = steal_fd(&answer.fds[1]);
	} else {
		error_set(err, ERROR_UNSUPPORTED, "%.*s", (int)answer.len,
			  (const char *)answer.data);
	}
	ipc_message_release(&answer);
	return m->writable < 0 ? -1 : 0;
}

int read_only_mount_init(struct read_only_mount *m, struct error *err)
{
	int pair[2], failed, status;
	pid_t pid;

	*m = (struct read_only_mount)READ_ONLY_MOUNT_INIT;
	if (ipc_pair(pair, err))
		return -1;
	pid = fork();
	if (!pid)
		be_child(pair[1]);
	close(pair[1]);
	failed = pid < 0 ? error_errno(err, "fork") : take(m, pair[0], err);
	close(pair[0]);
	if (pid > 0) {
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
	}
	return failed;
}

void read_only_mount_release(struct read_only_mount *m)
{
	if (m->writable >= 0)
		close(m->writable);
	if (m->readable >= 0)
		close(m->readable);
	*m = (struct read_only_mount)READ_ONLY_MOUNT_INIT;
}
