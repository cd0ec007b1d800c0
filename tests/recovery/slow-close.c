/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A driver that takes its time to let device memory go, for LD_PRELOAD: in the kernel process
 * close() of a chunk of device memory does not return as long as the file CGPU_SLOW_CLOSE is there,
 * and writes to it when it begins to wait. Such a chunk is a memfd of the emulated device.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int leads_to(const char *link, const char *what)
{
	char path[4096];
	ssize_t n = readlink(link, path, sizeof(path) - 1);

	path[n > 0 ? n : 0] = '\0';
	return strstr(path, what) != NULL;
}

static void tell(const char *gate)
{
	FILE *f = fopen(gate, "r+");

	if (!f)
		return;
	fputs("waits", f);
	fclose(f);
}

int close(int fd)
{
	int (*real)(int) = dlsym(RTLD_NEXT, "close");
	const char *gate = getenv("CGPU_SLOW_CLOSE");
	char link[64];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (gate && leads_to("/proc/self/exe", "/cgpu-kernel") &&
	    leads_to(link, "memfd:cgpu-device"))
		tell(gate);
	while (gate && leads_to("/proc/self/exe", "/cgpu-kernel") &&
	       leads_to(link, "memfd:cgpu-device") && !access(gate, F_OK))
		usleep(1000);
	return real(fd);
}
