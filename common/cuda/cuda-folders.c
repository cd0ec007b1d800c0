/* SPDX-License-Identifier: Apache-2.0 */
/* Nothing is cached, since CUDA may be installed while the kernel runs. */
#define _GNU_SOURCE
#include "common/cuda/cuda-folders.h"

#include <glob.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/cleanup.h"
#include "common/base/own-prefix.h"

const char *const cuda_folders_libraries[] = { "lib",
					       "lib64",
					       "lib/x86_64-linux-gnu",
					       "lib/aarch64-linux-gnu",
					       "targets/x86_64-linux/lib",
					       "targets/sbsa-linux/lib",
					       "extras/CUPTI/lib64",
					       NULL };

struct search {
	const char *wheel;
	cuda_folders_fn *is_it;
	void *context;
};

static bool look_in(const struct search *s, const char *folder)
{
	return folder && *folder && s->is_it(s->context, folder);
}

/* Looks into a Python environment, which has one folder for all of CUDA 13, or one for each
 * package. */
static bool look_in_wheels(const struct search *s, const char *environment)
{
	cleanup_free char *pattern = NULL;
	bool is_found = false;
	glob_t found = { 0 };

	if (!environment || !*environment ||
	    asprintf(&pattern, "%s/lib/python3*/site-packages/nvidia/{cu13,%s}", environment,
		     s->wheel) < 0)
		return false;
	if (!glob(pattern, GLOB_BRACE, NULL, &found)) {
		for (size_t i = 0; i < found.gl_pathc && !is_found; i++)
			is_found = look_in(s, found.gl_pathv[i]);
		globfree(&found);
	}
	return is_found;
}

/* Returns the folder of nvcc's installation: /cuda/bin/nvcc -> /cuda */
static char *folder_of_nvcc(void)
{
	const char *list = getenv("PATH");
	cleanup_free char *path = strdup(list ? list : "");
	char *rest = NULL;

	for (char *dir = path ? strtok_r(path, ":", &rest) : NULL; dir;
	     dir = strtok_r(NULL, ":", &rest)) {
		cleanup_free char *program = NULL;
		char *folder;

		if (asprintf(&program, "%s/nvcc", dir) < 0)
			return NULL;
		folder = access(program, X_OK) ? NULL : own_prefix_above(program, 2);
		if (folder)
			return folder;
	}
	return NULL;
}

bool cuda_folders_find(const char *wheel, const char *built, cuda_folders_fn *is_it, void *context)
{
	const struct search s = { wheel, is_it, context };
	const char *only = getenv("CGPU_CUDA");
	cleanup_free char *nvcc = NULL, *own = NULL, *packed = NULL;

	if (only && *only)
		return look_in(&s, only);
	nvcc = folder_of_nvcc();
	own = own_prefix_find();
	packed = own_prefix_folder("cuda", "include/cuda.h", "");
	return look_in(&s, getenv("CUDA_HOME")) || look_in(&s, getenv("CUDA_PATH")) ||
	       look_in(&s, nvcc) || look_in_wheels(&s, getenv("VIRTUAL_ENV")) ||
	       look_in_wheels(&s, own) || look_in(&s, packed) ||
	       look_in_wheels(&s, getenv("CONDA_PREFIX")) || look_in(&s, "/usr/local/cuda") ||
	       look_in(&s, built) || look_in(&s, "/usr");
}
