/* SPDX-License-Identifier: Apache-2.0 */
/* Pressure stall information from files as Linux writes them, good and bad; limits of control
 * groups. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/error.h"
#include "kernel/cell-run/pressure.h"
#include "kernel/sandbox/cgroup.h"

static char dir[64];

static void put(const char *name, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void make_folder(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	assert_int_equal(mkdir(path, 0700), 0);
}

static int set_up(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/cgpu-pressure-XXXXXX");
	assert_non_null(mkdtemp(dir));
	return 0;
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command);
}

static void put_total(uint64_t us)
{
	char text[256];

	snprintf(text, sizeof(text),
		 "some avg10=1.00 avg60=0.00 avg300=0.00 total=999999999\n"
		 "full avg10=0.00 avg60=0.00 avg300=0.00 total=%" PRIu64 "\n",
		 us);
	put("pressure/memory", text);
}

static void test_a_window_is_judged_by_its_share(void **state)
{
	struct pressure p;

	(void)state;
	make_folder("pressure");
	put_total(5000000);
	pressure_init(&p, dir);
	pressure_begin(&p, 1000);
	put_total(5000000 + PRESSURE_PERCENT * 20000);
	assert_false(pressure_is_high(&p, 1000 + PRESSURE_WINDOW_MS - 1)); /* not over yet */
	assert_true(pressure_is_high(&p, 1000 + PRESSURE_WINDOW_MS));
	assert_int_equal(p.percent, PRESSURE_PERCENT);
	/* The next window starts from there. */
	put_total(5000000 + PRESSURE_PERCENT * 20000 + 100);
	assert_false(pressure_is_high(&p, 1000 + 2 * PRESSURE_WINDOW_MS));
	/* A window that was looked at late is as long as it was. */
	put_total(5000000 + 2 * PRESSURE_PERCENT * 20000 - 20000);
	assert_false(pressure_is_high(&p, 1000 + 4 * PRESSURE_WINDOW_MS));
	pressure_release(&p);
}

static void test_what_cannot_be_read_is_no_pressure(void **state)
{
	static const char *const texts[] = { "", "full", "full total=", "some total=5\n",
					     "full total=x\n" };
	struct pressure p;

	(void)state;
	pressure_init(&p, dir);
	pressure_begin(&p, 0);
	assert_false(pressure_is_high(&p, 10 * PRESSURE_WINDOW_MS));
	pressure_release(&p);
	make_folder("pressure");
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		put("pressure/memory", texts[i]);
		pressure_init(&p, dir);
		pressure_begin(&p, 0);
		put_total(UINT64_MAX / 2);
		assert_false(pressure_is_high(&p, PRESSURE_WINDOW_MS));
		put("pressure/memory", texts[i]);
		assert_false(pressure_is_high(&p, 2 * PRESSURE_WINDOW_MS));
		pressure_release(&p);
	}
}

static uint64_t limit(const char *groups)
{
	char self[128];

	put("cgroup", groups);
	snprintf(self, sizeof(self), "%s/cgroup", dir);
	return cgroup_memory_limit(self, dir);
}

static void test_the_smallest_limit_on_the_way_counts(void **state)
{
	(void)state;
	make_folder("a");
	make_folder("a/b");
	put("a/memory.max", "3000000\n");
	put("a/b/memory.max", "max\n");
	assert_int_equal(limit("0::/a/b\n"), 3000000);
	put("a/b/memory.max", "2000000\n");
	assert_int_equal(limit("0::/a/b\n"), 2000000);
	assert_int_equal(limit("0::/a\n"), 3000000);
	assert_int_equal(limit("0::/\n"), UINT64_MAX);
	assert_int_equal(limit("0::/not/mounted/here\n"), UINT64_MAX);
	assert_int_equal(limit(""), UINT64_MAX);
}

static void test_limits_of_version_1(void **state)
{
	(void)state;
	make_folder("memory");
	make_folder("memory/c");
	put("memory/memory.limit_in_bytes", "9223372036854771712\n");
	put("memory/c/memory.limit_in_bytes", "4000000\n");
	assert_int_equal(limit("4:memory:/c\n0::/\n"), 4000000);
	/* In a container the path of the host is not there; its root is the container's group. */
	put("memory/memory.limit_in_bytes", "5000000\n");
	assert_int_equal(limit("4:memory:/docker/0123\n"), 5000000);
}

static void test_the_group_bounds_memory_where_it_can(void **state)
{
	struct cgroup c = { .unified = true };
	struct error err = ERROR_INIT;
	char path[128], text[32] = "";
	FILE *f;

	(void)state;
	snprintf(c.path, sizeof(c.path), "%s", dir);
	assert_int_equal(cgroup_bound_memory(&c, 1 << 20, &err),
			 0); /* no such controller: nothing to do */
	put("memory.max", "max\n");
	assert_int_equal(cgroup_bound_memory(&c, 1 << 20, &err), 0);
	snprintf(path, sizeof(path), "%s/memory.max", dir);
	f = fopen(path, "r");
	assert_non_null(fgets(text, sizeof(text), f));
	fclose(f);
	assert_int_equal(strtoull(text, NULL, 10), 1 << 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_a_window_is_judged_by_its_share, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_what_cannot_be_read_is_no_pressure, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_the_smallest_limit_on_the_way_counts, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_limits_of_version_1, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_the_group_bounds_memory_where_it_can, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
