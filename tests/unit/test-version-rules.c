/* SPDX-License-Identifier: Apache-2.0 */
/* Versions that do not go together, each told by its own rule and by no other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/supervisor/version-rules.h"

/* The one rule that is broken; "" for none. More than one is a failure. */
static struct version_verdict broken(const struct version_facts *f)
{
	struct version_verdict v, found = { .name = "" };

	for (size_t i = 0; i < version_rules_count(); i++) {
		version_rules_check(i, f, &v);
		if (v.ok)
			continue;
		assert_string_equal(found.name, "");
		found = v;
	}
	return found;
}

static void versions_that_fit_are_silent(void **state)
{
	struct version_facts f = { .driver = 13000, .compiler = 13000, .passed_over = "" };

	(void)state;
	assert_string_equal(broken(&f).name, "");
	f.driver = 13010;
	version_rules_add_library(&f, "/opt/lib/libcublas.so.13");
	version_rules_add_library(&f, "/opt/lib/libcudart.so.13.0.88");
	version_rules_add_library(&f, "/opt/lib/libcufft.so.12"); /* its number is its own */
	version_rules_add_library(&f, "libm.so.6");
	assert_string_equal(broken(&f).name, "");
	/* The emulated device takes any PTX and has no libraries to fit. */
	f = (struct version_facts){ .emulated = true, .driver = 13000, .compiler = 13020, .passed_over = "" };
	assert_string_equal(broken(&f).name, "");
}

static void each_rule_says_what_to_do(void **state)
{
	struct version_facts f = { .driver = 13000, .compiler = 13010, .passed_over = "" };
	struct version_verdict v = broken(&f);

	(void)state;
	assert_string_equal(v.name, "driver, NVRTC");
	assert_string_equal(v.detail, "the driver is for CUDA 13.0, the compiler of device code is of CUDA 13.1");
	assert_non_null(strstr(v.hint, "nvidia-cuda-nvrtc"));

	f = (struct version_facts){ .driver = 13000, .compiler = 13000, .passed_over = "" };
	version_rules_add_library(&f, "/x/libcublas.so.14");
	v = broken(&f);
	assert_string_equal(v.name, "driver, libraries");
	assert_string_equal(v.detail, "the driver is for CUDA 13.0, the newest of the loaded CUDA libraries is for CUDA 14.0");

	f = (struct version_facts){ .driver = 13000, .compiler = 13000, .passed_over = "" };
	version_rules_add_library(&f, "/x/libcublas.so.12");
	version_rules_add_library(&f, "/x/libcublasLt.so.13.1");
	v = broken(&f);
	assert_string_equal(v.name, "libraries, libraries");
	assert_string_equal(v.detail, "libraries for CUDA 12.0 and for CUDA 13.0 are loaded");

	f = (struct version_facts){ .emulated = true, .driver = 13000, .compiler = 13000, .passed_over = "it is too old" };
	v = broken(&f);
	assert_string_equal(v.name, "GPU driver");
	assert_string_equal(v.detail, "it is too old");
}

static void versions_are_read(void **state)
{
	(void)state;
	assert_int_equal(version_rules_parse("13.0"), 13000);
	assert_int_equal(version_rules_parse("12.9.86"), 12090);
	assert_int_equal(version_rules_parse(""), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(versions_that_fit_are_silent),
		cmocka_unit_test(each_rule_says_what_to_do),
		cmocka_unit_test(versions_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
