/* SPDX-License-Identifier: Apache-2.0 */
/* Ports that are opened ahead: a client can connect from then on, and the program after the exec
 * has the same sockets. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "kernel/protocol/ports.h"

#define VARIABLE "CGPU_PORTS"

/* Of this process alone: at 127.0.0.1 other programs of the machine are given ports meanwhile. */
static uint32_t own_address(void)
{
	return INADDR_LOOPBACK + 1 + (uint32_t)getpid() % 0xf00000;
}

static struct sockaddr_in address_of(unsigned port)
{
	return (struct sockaddr_in){ .sin_family = AF_INET,
				     .sin_port = htons((uint16_t)port),
				     .sin_addr.s_addr = htonl(own_address()) };
}

static unsigned port_of(int fd)
{
	struct sockaddr_in a;
	socklen_t len = sizeof(a);

	assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &len), 0);
	return ntohs(a.sin_port);
}

/* All are held until the last is known: a port that is let go may be given again. */
static void make_connections(struct connection_file *ret, unsigned n)
{
	struct sockaddr_in a = address_of(0);
	int fds[2 * CHANNELS];

	assert_true(n <= 2);
	for (unsigned i = 0; i < n * CHANNELS; i++) {
		struct connection_file *cf = &ret[i / CHANNELS];

		if (i % CHANNELS == 0) {
			*cf = (struct connection_file){ 0 };
			inet_ntop(AF_INET, &a.sin_addr, cf->ip, sizeof(cf->ip));
		}
		fds[i] = socket(AF_INET, SOCK_STREAM, 0);
		assert_int_equal(bind(fds[i], (struct sockaddr *)&a, sizeof(a)), 0);
		cf->ports[i % CHANNELS] = port_of(fds[i]);
	}
	for (unsigned i = 0; i < n * CHANNELS; i++)
		close(fds[i]);
}

static struct connection_file connection(void)
{
	struct connection_file cf;

	make_connections(&cf, 1);
	return cf;
}

static bool can_connect(unsigned port)
{
	struct sockaddr_in a = address_of(port);
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	int rc = connect(fd, (struct sockaddr *)&a, sizeof(a));

	close(fd);
	return !rc;
}

static void close_all(const int ports[CHANNELS])
{
	for (int i = 0; i < CHANNELS; i++)
		if (ports[i] >= 0)
			close(ports[i]);
}

static void test_handed_on(void **state)
{
	struct connection_file cf = connection();
	int opened[CHANNELS], taken[CHANNELS];

	(void)state;
	ports_open(&cf, opened);
	for (int i = 0; i < CHANNELS; i++)
		assert_true(can_connect(cf.ports[i]));
	ports_hand_on(opened);
	for (int i = 0; i < CHANNELS; i++)
		assert_int_equal(fcntl(opened[i], F_GETFD), 0);
	ports_take(&cf, taken);
	assert_memory_equal(opened, taken, sizeof(opened));
	for (int i = 0; i < CHANNELS; i++)
		assert_int_equal(fcntl(taken[i], F_GETFD), FD_CLOEXEC);
	assert_null(getenv(VARIABLE));
	close_all(taken);
}

static void test_not_those_of_another_file(void **state)
{
	static const char *const wrong[] = { "", "nonsense", "0 1 2 3 4", "99 -1 5",
					     "99999999999999999999 1" };
	struct connection_file both[2], cf;
	int opened[CHANNELS], taken[CHANNELS];

	(void)state;
	make_connections(both, 2);
	cf = both[0];
	ports_open(&both[1], opened);
	ports_hand_on(opened);
	ports_take(&cf, taken);
	for (int i = 0; i < CHANNELS; i++)
		assert_int_equal(port_of(taken[i]), cf.ports[i]);
	close_all(taken);
	close_all(opened);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		setenv(VARIABLE, wrong[i], 1);
		ports_take(&cf, taken);
		for (int k = 0; k < CHANNELS; k++)
			assert_int_equal(port_of(taken[k]), cf.ports[k]);
		close_all(taken);
	}
}

static void test_left_to_libzmq(void **state)
{
	struct connection_file cf = connection();
	int ports[CHANNELS];

	(void)state;
	strcpy(cf.ip, "localhost");
	ports_open(&cf, ports);
	for (int i = 0; i < CHANNELS; i++)
		assert_int_equal(ports[i], -1);
	strcpy(cf.ip, "127.0.0.1");
	cf.ports[1] = cf.ports[0];
	cf.ports[2] = 0;
	ports_open(&cf, ports);
	assert_true(ports[0] >= 0 && ports[1] == -1 && ports[2] == -1 && ports[3] >= 0);
	close_all(ports);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_handed_on),
		cmocka_unit_test(test_not_those_of_another_file),
		cmocka_unit_test(test_left_to_libzmq),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
