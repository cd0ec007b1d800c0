/* SPDX-License-Identifier: Apache-2.0 */
/* The nodes that a process has open, with files of their names: which they are, and that they are
 * opened anew. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/cuda/driver/device-node.h"

static const char *const names[] = { "nvidia0",  "nvidia12", "nvidiactl", "nvidia-uvm",
				     "nvidia1x", "nvidia64", "other0" };
#define NAMES (sizeof(names) / sizeof(names[0]))

static char folder[] = "/tmp/nodes-XXXXXX";
static int found[8], n_found;

static void keep(void *data, int fd)
{
	(void)data;
	assert_true(n_found < 8);
	found[n_found++] = fd;
}

static int count(const char *name)
{
	char link[32], path[128], want[128];
	int n = 0;

	snprintf(want, sizeof(want), "%s/%s", folder, name);
	for (int i = 0; i < n_found; i++) {
		ssize_t len;

		snprintf(link, sizeof(link), "/proc/self/fd/%d", found[i]);
		len = readlink(link, path, sizeof(path) - 1);
		path[len > 0 ? len : 0] = '\0';
		n += !strcmp(path, want);
	}
	return n;
}

static void each_node_that_is_open_comes_once_and_anew(void **state)
{
	char path[128], node[128];
	int own[NAMES + 1];

	(void)state;
	assert_non_null(mkdtemp(folder));
	for (size_t i = 0; i < NAMES; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		own[i] = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
		assert_true(own[i] >= 0 && write(own[i], "x", 1) == 1);
	}
	snprintf(path, sizeof(path), "%s/nvidia0", folder);
	own[NAMES] = open(path, O_RDWR | O_CLOEXEC);
	snprintf(node, sizeof(node), "%s/nvidia", folder);
	device_node_each("/proc/self/fd", node, keep, NULL);
	assert_int_equal(n_found, 2);
	assert_int_equal(count("nvidia0"), 1);
	assert_int_equal(count("nvidia12"), 1);
	/* A copy of a descriptor would stand where that one has written to. */
	for (int i = 0; i < n_found; i++) {
		assert_int_equal(lseek(found[i], 0, SEEK_CUR), 0);
		assert_true(fcntl(found[i], F_GETFD) & FD_CLOEXEC);
		close(found[i]);
	}
	for (size_t i = 0; i < NAMES; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		unlink(path);
		close(own[i]);
	}
	close(own[NAMES]);
	rmdir(folder);
}

static void a_process_without_any_has_none(void **state)
{
	(void)state;
	n_found = 0;
	device_node_each("/proc/self/fd", "/dev/no-such-device", keep, NULL);
	device_node_each("/proc/self/no-such-folder", "/dev/nvidia", keep, NULL);
	assert_int_equal(n_found, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_node_that_is_open_comes_once_and_anew),
		cmocka_unit_test(a_process_without_any_has_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
