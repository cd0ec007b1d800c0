/* SPDX-License-Identifier: Apache-2.0 */
/* Versions that do not go together, each told by its own rule and by no other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/cuda/device-target.h"
#include "kernel/device/version-rules.h"

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
	f = (struct version_facts){
		.emulated = true, .driver = 13000, .compiler = 13020, .passed_over = ""
	};
	assert_string_equal(broken(&f).name, "");
}

static void each_rule_says_what_to_do(void **state)
{
	struct version_facts f = { .driver = 11040,
				   .compiler = DEVICE_TARGET_CLANG_CUDA,
				   .passed_over = "" };
	struct version_verdict v = broken(&f);

	(void)state;
	assert_string_equal(v.name, "driver, device code");
	assert_string_equal(
		v.detail,
		"the driver is for CUDA 11.4, and device code of cells needs one for CUDA 11.8");
	assert_non_null(strstr(v.hint, "Install a newer driver"));

	f = (struct version_facts){ .driver = 13000, .compiler = 13000, .passed_over = "" };
	version_rules_add_library(&f, "/x/libcublas.so.14");
	v = broken(&f);
	assert_string_equal(v.name, "driver, libraries");
	assert_string_equal(v.detail, "the driver is for CUDA 13.0, the newest of the loaded CUDA "
				      "libraries is for CUDA 14.0");

	f = (struct version_facts){ .driver = 13000, .compiler = 13000, .passed_over = "" };
	version_rules_add_library(&f, "/x/libcublas.so.12");
	version_rules_add_library(&f, "/x/libcublasLt.so.13.1");
	v = broken(&f);
	assert_string_equal(v.name, "libraries, libraries");
	assert_string_equal(v.detail, "libraries for CUDA 12.0 and for CUDA 13.0 are loaded");

	f = (struct version_facts){
		.emulated = true, .driver = 13000, .compiler = 13000, .passed_over = "it is too old"
	};
	v = broken(&f);
	assert_string_equal(v.name, "GPU driver");
	assert_string_equal(v.detail, "it is too old");
}

/* A file of this name, with its folders. */
static void make_file(const char *folder, const char *name, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	for (char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
		*at = '\0';
		mkdir(path, 0700);
		*at = '/';
	}
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

/* A session with CUDA 13 that has loaded these, in folder: names until NULL. */
static struct version_facts with(const char *folder, const char *const *names)
{
	struct version_facts f = { .driver = 13000, .compiler = 13000, .passed_over = "" };
	char path[256];

	for (; *names; names++) {
		snprintf(path, sizeof(path), "%s/%s", folder, *names);
		version_rules_add_library(&f, path);
	}
	return f;
}

#define WITH(...) with(folder, (const char *const[]){ __VA_ARGS__, NULL })

static void a_library_is_what_its_file_says(void **state)
{
	char folder[] = "/tmp/test-version-rules-XXXXXX", link[64], command[64];
	struct version_verdict v;
	struct version_facts f;

	(void)state;
	assert_non_null(mkdtemp(folder));
	/* As a toolkit has them: the name for linking leads to the whole one. */
	make_file(folder, "lib/libcublas.so.13.1.0.3", "");
	make_file(folder, "lib/libcublasLt.so.13.0.2.14", "");
	snprintf(link, sizeof(link), "%s/lib/libcublas.so", folder);
	assert_false(symlink("libcublas.so.13.1.0.3", link));
	f = WITH("lib/libcublas.so", "lib/libcublasLt.so.13.0.2.14");
	assert_int_equal(f.cublas, 13010);
	v = broken(&f);
	assert_string_equal(v.name, "cuBLAS, cuBLASLt");
	assert_string_equal(v.detail, "cuBLAS is of version 13.1, cuBLASLt of 13.0");
	assert_non_null(strstr(v.hint, "Install both by one package"));

	/* cuFFT and cuSOLVER count on their own. */
	f = WITH("libcufft.so.12", "libcusolver.so.12.0.4", "libcublas.so.13", "libcurand.so.10",
		 "libcusparse.so.12");
	assert_string_equal(broken(&f).name, "");
	f = WITH("libcufft.so.11.4.1", "libcublas.so.13");
	assert_string_equal(broken(&f).name, "libraries, libraries");

	/* cuDNN by its file, by the header beside it, or by its first number alone. */
	f = WITH("libcudnn.so.8.9.7");
	v = broken(&f);
	assert_string_equal(v.name, "cuDNN, CUDA");
	assert_string_equal(v.detail,
			    "cuDNN 8.9 is loaded, and there is none of that version for CUDA 13.0");
	assert_non_null(strstr(v.hint, "pip install nvidia-cudnn-cu13"));
	f.compiler = 12090;
	f.driver = 12090;
	assert_string_equal(broken(&f).name, "");
	f = WITH("libcudnn.so.8");
	assert_string_equal(broken(&f).name, "cuDNN, CUDA");
	f = WITH("libcudnn.so.9");
	assert_string_equal(broken(&f).name, "");
	make_file(folder, "lib/libcudnn.so.9", "");
	make_file(folder, "include/cudnn_version.h",
		  "#define CUDNN_MAJOR 9\n#define CUDNN_MINOR 10\n#define CUDNN_PATCHLEVEL 2\n");
	f = WITH("lib/libcudnn.so.9");
	assert_int_equal(f.cudnn, 9100);
	assert_string_equal(broken(&f).name, "cuDNN, CUDA");

	/* A wheel: which CUDA it is for, its package says. */
	make_file(folder, "site/nvidia/cudnn/lib/libcudnn.so.9", "");
	make_file(folder, "site/nvidia/cudnn/include/cudnn_version.h",
		  "#define CUDNN_MAJOR 9\n#define CUDNN_MINOR 13\n");
	make_file(folder, "site/nvidia_cudnn_cu12-9.13.0.50.dist-info/METADATA", "");
	f = WITH("site/nvidia/cudnn/lib/libcudnn.so.9", "libcublas.so.13");
	v = broken(&f);
	assert_string_equal(v.name, "cuDNN, libraries");
	assert_string_equal(
		v.detail,
		"the package of cuDNN is for CUDA 12.0, the other libraries are for CUDA 13.0");
	f = WITH("site/nvidia/cudnn/lib/libcudnn.so.9");
	f.driver = 11080;
	f.compiler = 0;
	assert_string_equal(broken(&f).name, "driver, cuDNN");
	f.emulated = true;
	assert_string_equal(broken(&f).name, "");
	snprintf(command, sizeof(command), "rm -r %s", folder);
	assert_false(system(command));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(versions_that_fit_are_silent),
		cmocka_unit_test(each_rule_says_what_to_do),
		cmocka_unit_test(a_library_is_what_its_file_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
