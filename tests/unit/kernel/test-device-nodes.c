/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes that are found in a process, opened anew, and held: with files of their names, and with
 * pseudo terminals as devices. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "kernel/base/closer.h"
#include "kernel/device/device-nodes.h"

/* A thread closes them. */
static int is_open(int fd)
{
	struct pollfd idle = { closer_idle_fd(), POLLIN, 0 };

	while (!closer_is_idle())
		assert_true(poll(&idle, 1, 60000) > 0);
	return fcntl(fd, F_GETFD) >= 0;
}

/* A device that nobody else has the number of. */
static int device(int *ret_master)
{
	int fd;

	*ret_master = posix_openpt(O_RDWR | O_NOCTTY);
	assert_true(*ret_master >= 0 && !grantpt(*ret_master) && !unlockpt(*ret_master));
	fd = open(ptsname(*ret_master), O_RDWR | O_NOCTTY | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

static void one_of_each_device_is_held(void **state)
{
	struct device_nodes d = { .n = 0 };
	int first = open("/dev/null", O_RDWR), again = open("/dev/null", O_RDWR),
	    other = open("/dev/zero", O_RDWR);

	(void)state;
	device_nodes_hold(&d, first);
	device_nodes_hold(&d, again);
	device_nodes_hold(&d, other);
	assert_int_equal(d.n, 2);
	assert_true(is_open(first) && !is_open(again) && is_open(other));
	device_nodes_release(&d);
	assert_true(!is_open(first) && !is_open(other) && !d.n);
}

static void what_is_no_device_is_not_held(void **state)
{
	struct device_nodes d = { .n = 0 };
	int file = open(".", O_TMPFILE | O_RDWR, 0600), ends[2];

	(void)state;
	assert_true(file >= 0 && !pipe(ends));
	device_nodes_hold(&d, file);
	device_nodes_hold(&d, ends[0]);
	assert_true(!d.n && !is_open(file) && !is_open(ends[0]));
	close(ends[1]);
}

static void no_more_are_held_than_there_can_be(void **state)
{
	int masters[CHUNK_DEVICES_MAX + 1], fd = -1;
	struct device_nodes d = { .n = 0 };

	(void)state;
	for (int i = 0; i <= CHUNK_DEVICES_MAX; i++) {
		fd = device(&masters[i]);
		device_nodes_hold(&d, fd);
	}
	assert_int_equal(d.n, CHUNK_DEVICES_MAX);
	assert_false(is_open(fd));
	device_nodes_release(&d);
	for (int i = 0; i <= CHUNK_DEVICES_MAX; i++)
		close(masters[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_of_each_device_is_held),
		cmocka_unit_test(what_is_no_device_is_not_held),
		cmocka_unit_test(no_more_are_held_than_there_can_be),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
