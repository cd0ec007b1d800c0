/* SPDX-License-Identifier: Apache-2.0 */
/* The namespace ends with the child unless a descriptor is of the namespace itself; mounts live on
 * as long as files of them are open, and nobody can reach or change them. */
#define _GNU_SOURCE
#include "kernel/sandbox/namespace-child.h"

#include <signal.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/protocol/ipc.h"
#include "common/sandbox/sandbox-apply.h"

#define DEADLINE_MS 5000

enum answer { MADE = 1, NOT_MADE };

static _Noreturn void be_child(int sock, namespace_child_make *make, const void *data)
{
	int fds[NAMESPACE_CHILD_FDS], n = -1;
	struct error err = ERROR_INIT;

	if (!sandbox_apply_mount_namespace(&err))
		n = make(data, fds, &err);
	if (n < 0)
		ipc_send(sock, NOT_MADE, err.text, strlen(err.text) + 1, NULL, 0, NULL);
	else
		ipc_send(sock, MADE, NULL, 0, fds, (unsigned)n, NULL);
	_exit(0);
}

static int take(int sock, int n, int *ret, struct error *err)
{
	struct ipc_message answer;
	int got = ipc_receive(sock, DEADLINE_MS, &answer, err), failed = 0;

	if (got <= 0)
		return got < 0 ? -1
			       : error_set(err, ERROR_TIMEOUT, "the mount takes more than %d ms",
					   DEADLINE_MS);
	if (answer.type == MADE && answer.n_fds == (unsigned)n)
		for (int i = 0; i < n; i++)
			ret[i] = steal_fd(&answer.fds[i]);
	else
		failed = error_set(err, ERROR_UNSUPPORTED, "%.*s", (int)answer.len,
				   (const char *)answer.data);
	ipc_message_release(&answer);
	return failed;
}

int namespace_child_run(namespace_child_make *make, const void *data, int n, int *ret,
			struct error *err)
{
	int pair[2], failed;
	pid_t pid;

	if (ipc_pair(pair, err))
		return -1;
	pid = fork();
	if (!pid)
		be_child(pair[1], make, data);
	close(pair[1]);
	failed = pid < 0 ? error_errno(err, "fork") : take(pair[0], n, ret, err);
	close(pair[0]);
	if (pid > 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	return failed;
}
