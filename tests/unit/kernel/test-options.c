/* SPDX-License-Identifier: Apache-2.0 */
/* Options from environment and command line, sizes, and what wrong ones are told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/error.h"
#include "common/protocol/worker-protocol.h"
#include "kernel/settings/options.h"
#include "kernel/settings/size-text.h"

static int read_args(struct options *o, struct error *err, const char *first, const char *second,
		     const char *third)
{
	char *argv[] = { "cgpu-kernel", (char *)first, (char *)second, (char *)third, NULL };
	int argc = 1;

	while (argv[argc])
		argc++;
	return options_read(o, argc, argv, err);
}

static void command_line_wins_over_environment(void **state)
{
	struct options o;

	(void)state;
	setenv("CGPU_GPU_MEMORY", "1G", 1);
	assert_int_equal(read_args(&o, NULL, "-f", "c.json", NULL), 0);
	assert_int_equal(o.action, ACTION_RUN);
	assert_string_equal(o.connection_file, "c.json");
	assert_int_equal(o.device_limit, 1 << 30);
	assert_int_equal(o.output_limit, 0);
	assert_int_equal(read_args(&o, NULL, "-f", "c.json", "--gpu-memory=64M"), 0);
	assert_int_equal(o.device_limit, 64 << 20);
	unsetenv("CGPU_GPU_MEMORY");
	assert_int_equal(read_args(&o, NULL, "-f", "c.json", "a.c"), 0);
	assert_string_equal(o.connection_file, "c.json");
	assert_int_equal(read_args(&o, NULL, "--doctor", "a.c", NULL), -1);
	assert_int_equal(read_args(&o, NULL, "a.c", NULL, NULL), -1);
	assert_int_equal(read_args(&o, NULL, "--without", "landlock,limits", "-fx"), -1);
	assert_int_equal(read_args(&o, NULL, "--without=landlock,limits", "-f", "x"), 0);
	assert_int_equal(o.disabled_sandbox, SANDBOX_LANDLOCK | SANDBOX_LIMITS);
}

static void actions(void **state)
{
	struct options o;

	(void)state;
	assert_int_equal(read_args(&o, NULL, "--install", "--prefix", "/opt/x"), 0);
	assert_int_equal(o.action, ACTION_INSTALL);
	assert_string_equal(o.prefix, "/opt/x");
	setenv("VIRTUAL_ENV", "/venv", 1);
	assert_int_equal(read_args(&o, NULL, "--install", "--sys-prefix", NULL), 0);
	assert_string_equal(o.prefix, "/venv");
	assert_int_equal(read_args(&o, NULL, "--install", "--user", NULL), 0);
	assert_string_equal(o.prefix, "");
	assert_int_equal(read_args(&o, NULL, "--doctor", NULL, NULL), 0);
	assert_int_equal(o.action, ACTION_DOCTOR);
}

static void wrong_ones_are_named(void **state)
{
	struct options o;
	struct error err = ERROR_INIT;

	(void)state;
	assert_int_equal(read_args(&o, &err, NULL, NULL, NULL), -1);
	assert_non_null(strstr(err.text, "--install"));
	assert_int_equal(read_args(&o, &err, "--frobnicate", NULL, NULL), -1);
	assert_non_null(strstr(err.text, "--frobnicate"));
	assert_int_equal(read_args(&o, &err, "-f", NULL, NULL), -1);
	assert_non_null(strstr(err.text, "needs a value"));
	assert_int_equal(read_args(&o, &err, "--ram=lots", NULL, NULL), -1);
	assert_non_null(strstr(err.text, "512M"));
	assert_int_equal(read_args(&o, &err, "--without=walls", NULL, NULL), -1);
	assert_non_null(strstr(err.text, "walls"));
	setenv("CGPU_RAM", "-1", 1);
	assert_int_equal(read_args(&o, &err, "-f", "x", NULL), -1);
	assert_non_null(strstr(err.text, "CGPU_RAM"));
	unsetenv("CGPU_RAM");
}

static void sizes(void **state)
{
	static const struct {
		const char *text;
		uint64_t bytes;
		const char *back;
	} cases[] = {
		{ "0", 0, "0 B" },
		{ "100", 100, "100 B" },
		{ "1K", 1024, "1 KB" },
		{ "512M", 512 << 20, "512 MB" },
		{ "1.5 GB", 3u << 29, "1.5 GB" },
		{ "2GiB", 1ull << 31, "2 GB" },
		{ "3t", 3ull << 40, "3 TB" },
	};
	static const char *const wrong[] = { "",    "M",   "-1",   "1X",    "1MM",
					     "inf", "nan", "1e30", "0x10G " };
	char text[SIZE_TEXT_MAX];
	uint64_t bytes;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(size_text_parse(cases[i].text, &bytes, NULL), 0);
		assert_int_equal(bytes, cases[i].bytes);
		assert_string_equal(size_text(bytes, text), cases[i].back);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(size_text_parse(wrong[i], &bytes, NULL), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(command_line_wins_over_environment),
		cmocka_unit_test(actions),
		cmocka_unit_test(wrong_ones_are_named),
		cmocka_unit_test(sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
