/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main() of cgpu-worker. Started by the kernel process it is the zygote (runtime/worker/zygote.h),
 * which forks the workers (runtime/worker/worker-serve.h).
 */
#include <fcntl.h>
#include <stdio.h>

#include "common/base/log.h"
#include "common/protocol/worker-protocol.h"
#include "runtime/worker/session-processes.h"
#include "runtime/worker/zygote.h"

int main(int argc, char **argv)
{
	(void)argc;
	log_init("cgpu-worker");
	if (fcntl(ZYGOTE_SOCKET_FD, F_GETFD) < 0) {
		fprintf(stderr, "cgpu-worker is a part of cgpu-kernel, which starts it.\n");
		return 2;
	}
	session_processes_mark(argv);
	return zygote_run();
}
