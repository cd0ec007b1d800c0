/* SPDX-License-Identifier: Apache-2.0 */
/* In which order the folders of CUDA are looked into, and what keeps others out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "common/cuda/cuda-folders.h"

#define SEEN_MAX 64

static char root[] = "/tmp/test-cuda-folders-XXXXXX";

struct seen {
	char folders[SEEN_MAX][256];
	int n;
	const char *wanted; /* NULL: none of them is the one */
};

static bool look(void *context, const char *folder)
{
	struct seen *s = context;

	assert_true(s->n < SEEN_MAX);
	snprintf(s->folders[s->n++], sizeof(s->folders[0]), "%s", folder);
	return s->wanted && !strcmp(folder, s->wanted);
}

static int place_of(const struct seen *s, const char *folder)
{
	for (int i = 0; i < s->n; i++)
		if (!strcmp(s->folders[i], folder))
			return i;
	return -1;
}

/* Makes the folder, too. */
static const char *below(const char *path)
{
	static char all[8][256];
	static int n;
	char *at = all[n++ % 8];

	snprintf(at, sizeof(all[0]), "%s/%s", root, path);
	for (char *slash = strchr(at + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(at, 0700);
		*slash = '/';
	}
	mkdir(at, 0700);
	return at;
}

static int no_environment(void **state)
{
	static const char *const names[] = { "CGPU_CUDA", "CUDA_HOME", "CUDA_PATH", "VIRTUAL_ENV",
					     "CONDA_PREFIX" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unsetenv(names[i]);
	setenv("PATH", "/nowhere", 1);
	return 0;
}

static void the_environment_comes_first(void **state)
{
	const char *wheels = below("venv/lib/python3.12/site-packages/nvidia/cu13");
	const char *wheel = below("venv/lib/python3.12/site-packages/nvidia/cublas");
	struct seen s = { .n = 0 };

	(void)state;
	setenv("CUDA_HOME", "/home/cuda", 1);
	setenv("CUDA_PATH", "", 1);
	setenv("VIRTUAL_ENV", below("venv"), 1);
	assert_false(cuda_folders_find("cublas", "/built", look, &s));
	assert_int_equal(place_of(&s, "/home/cuda"), 0);
	assert_int_equal(place_of(&s, wheels), 1);
	assert_int_equal(place_of(&s, wheel), 2);
	assert_true(place_of(&s, "/usr/local/cuda") > 2);
	assert_int_equal(place_of(&s, "/built"), place_of(&s, "/usr/local/cuda") + 1);
	assert_int_equal(place_of(&s, "/usr"), s.n - 1);
}

static void the_search_ends_where_it_finds(void **state)
{
	struct seen s = { .wanted = "/usr/local/cuda" };

	(void)state;
	assert_true(cuda_folders_find("cublas", NULL, look, &s));
	assert_string_equal(s.folders[s.n - 1], "/usr/local/cuda");
}

static void one_folder_can_stand_for_all(void **state)
{
	struct seen s = { .n = 0 };

	(void)state;
	setenv("CUDA_HOME", "/home/cuda", 1);
	setenv("CGPU_CUDA", "/only", 1);
	assert_false(cuda_folders_find("cublas", "/built", look, &s));
	assert_int_equal(s.n, 1);
	assert_string_equal(s.folders[0], "/only");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_environment_comes_first, no_environment),
		cmocka_unit_test_setup(the_search_ends_where_it_finds, no_environment),
		cmocka_unit_test_setup(one_folder_can_stand_for_all, no_environment),
	};
	char command[64];
	int failed;

	if (!mkdtemp(root))
		return 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	snprintf(command, sizeof(command), "/bin/rm -r %s", root);
	return system(command) || failed;
}
