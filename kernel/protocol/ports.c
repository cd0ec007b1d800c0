/* SPDX-License-Identifier: Apache-2.0 */
/* The sockets are passed in an environment variable, as descriptor numbers in the order of the
 * channels. */
#include "kernel/protocol/ports.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/cleanup.h"

#define VARIABLE "CGPU_PORTS"
#define BACKLOG 100

static socklen_t tcp_address(const struct connection_file *cf, enum channel which,
			     struct sockaddr_storage *ret)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)ret;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)ret;

	memset(ret, 0, sizeof(*ret));
	if (cf->ipc || !cf->ports[which])
		return 0;
	if (inet_pton(AF_INET, cf->ip, &v4->sin_addr) == 1) {
		v4->sin_family = AF_INET;
		v4->sin_port = htons((uint16_t)cf->ports[which]);
		return sizeof(*v4);
	}
	if (inet_pton(AF_INET6, cf->ip, &v6->sin6_addr) == 1) {
		v6->sin6_family = AF_INET6;
		v6->sin6_port = htons((uint16_t)cf->ports[which]);
		return sizeof(*v6);
	}
	return 0;
}

static int open_port(const struct connection_file *cf, enum channel which)
{
	struct sockaddr_storage address;
	socklen_t len = tcp_address(cf, which, &address);
	cleanup_fd int fd =
		len ? socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0) : -1;
	int on = 1;

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) ||
	    bind(fd, (const struct sockaddr *)&address, len) || listen(fd, BACKLOG))
		return -1;
	return steal_fd(&fd);
}

void ports_open(const struct connection_file *cf, int ret[CHANNELS])
{
	for (int i = 0; i < CHANNELS; i++)
		ret[i] = open_port(cf, i);
}

void ports_hand_on(const int ports[CHANNELS])
{
	char text[CHANNELS * 12 + 1] = "";

	for (int i = 0; i < CHANNELS; i++) {
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%d ", ports[i]);
		if (ports[i] >= 0)
			fcntl(ports[i], F_SETFD, 0);
	}
	setenv(VARIABLE, text, 1);
}

/* Checks a descriptor, since the variable may belong to another program, or to a kernel that
 * started this one. */
static bool is_port(int fd, const struct connection_file *cf, enum channel which)
{
	struct sockaddr_storage expected, actual = { 0 };
	socklen_t len = tcp_address(cf, which, &expected), got = sizeof(actual), size = sizeof(int);
	int listens = 0;

	return len && !getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) && listens &&
	       !getsockname(fd, (struct sockaddr *)&actual, &got) && got == len &&
	       !memcmp(&expected, &actual, len);
}

void ports_take(const struct connection_file *cf, int ret[CHANNELS])
{
	const char *text = getenv(VARIABLE);

	for (int i = 0; i < CHANNELS; i++) {
		char *end = NULL;
		long fd = text ? strtol(text, &end, 10) : -1;

		text = text && end != text ? end : NULL;
		if (fd > STDERR_FILENO && fd <= INT_MAX && is_port((int)fd, cf, i) &&
		    !fcntl((int)fd, F_SETFD, FD_CLOEXEC))
			ret[i] = (int)fd;
		else
			ret[i] = open_port(cf, i);
	}
	unsetenv(VARIABLE);
}
