/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgpu-listen, the program that the kernelspec starts: it opens the ports of the connection file
 * and then execs cgpu-kernel. The libraries of cgpu-kernel take longer to load than a client waits
 * before it tries to connect; this program is ready in a millisecond. Errors are not reported here,
 * since cgpu-kernel meets and reports the same ones.
 *
 * The file also has the signing key: it is gone with this program's memory before cgpu-kernel
 * starts any process.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kernel/protocol/connection-file.h"
#include "kernel/protocol/ports.h"
#include "kernel/settings/paths.h"

static const char *connection_file(int argc, char **argv)
{
	for (int i = 1; i + 1 < argc; i++)
		if (!strcmp(argv[i], "-f"))
			return argv[i + 1];
	return NULL;
}

int main(int argc, char **argv)
{
	const char *path = connection_file(argc, argv);
	struct connection_file cf;
	int ports[CHANNELS];
	char self[4096], program[sizeof(self) + 32];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (path && !connection_file_read(&cf, path, NULL)) {
		ports_open(&cf, ports);
		ports_hand_on(ports);
		connection_file_release(&cf);
	}
	self[n > 0 ? n : 0] = '\0';
	if (strrchr(self, '/'))
		*strrchr(self, '/') = '\0';
	/* In an installation: libexec/cgpu/../../bin. In a build folder: beside this program. */
	snprintf(program, sizeof(program), "%s/../../bin/cgpu-kernel", self);
	execv(program, argv);
	snprintf(program, sizeof(program), "%s/cgpu-kernel", self);
	execv(program, argv);
	execv(PATHS_KERNEL, argv);
	fprintf(stderr, "cgpu-listen: cannot start %s: %s; is cgpu installed completely?\n",
		PATHS_KERNEL, strerror(errno));
	return 1;
}
