/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of rules, and how their facts are found. The version of a library is in the file name
 * that its symbolic links lead to, as libcublas.so.13.1.0.3; for cuDNN also in the header beside
 * it, and in the Python package that it came with.
 */
#include "kernel/device/version-rules.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/cleanup.h"
#include "common/base/regular-file.h"

#define NEWEST_MINOR 990

static void put_version(uint32_t version, char ret[16])
{
	if (version)
		snprintf(ret, 16, "%u.%u", version / 1000, version % 1000 / 10);
	else
		ret[0] = '\0';
}

/* Returns the CUDA that libraries must fit: that of other loaded libraries, of cuDNN's package, or
 * of the driver. */
static uint32_t cuda_of(const struct version_facts *f)
{
	return f->library_newest ? f->library_newest : f->cudnn_cuda ? f->cudnn_cuda : f->driver;
}

static bool cudnn_is_for(uint32_t cudnn, uint32_t cuda)
{
	if (!cudnn)
		return true;
	switch (cuda / 1000) {
#define CUDNN_CUDA(cuda, from, to)                                                                 \
	case cuda:                                                                                 \
		return cudnn >= (from) && cudnn <= (to);
#include "kernel/device/version-rules.def"
	default:
		return true;
	}
}

size_t version_rules_count(void)
{
	return 0
#define VERSION_RULE(name, teller, condition, first, second, detail, hint) +1
#include "kernel/device/version-rules.def"
		;
}

void version_rules_check(size_t i, const struct version_facts *f, struct version_verdict *ret)
{
	char a[16], b[16];
	size_t n = 0;

	*ret = (struct version_verdict){ .name = "", .ok = true, .hint = "" };
#define VERSION_RULE(name_, teller_, condition, first, second, detail_, hint_)                     \
	if (n++ == i) {                                                                            \
		ret->name = name_;                                                                 \
		ret->ok = condition;                                                               \
		ret->teller = VERSION_TELLER_##teller_;                                            \
		ret->hint = hint_;                                                                 \
		put_version(first, a);                                                             \
		put_version(second, b);                                                            \
		snprintf(ret->detail, sizeof(ret->detail), detail_, n == 1 ? f->passed_over : "",  \
			 a, b);                                                                    \
	}
#include "kernel/device/version-rules.def"
}

/* Parses "13.1.0" as 13010; a missing minor number is `otherwise`. */
static uint32_t version_of(const char *text, uint32_t otherwise)
{
	unsigned major = 0, minor = 0;
	int n = sscanf(text, "%u.%u", &major, &minor);

	return n < 1 || !major ? 0 : major * 1000 + (n == 2 ? minor * 10 : otherwise);
}

static void add_cuda(struct version_facts *f, uint32_t cuda)
{
	if (!f->library_oldest || cuda < f->library_oldest)
		f->library_oldest = cuda;
	if (cuda > f->library_newest)
		f->library_newest = cuda;
}

static void add_named(struct version_facts *f, const char *name)
{
	static const struct {
		const char *start;
		uint32_t number, cuda;
	} rows[] = {
#define LIBRARY_CUDA(name, number, cuda) { name, number, cuda },
#include "kernel/device/version-rules.def"
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t len = strlen(rows[i].start);
		uint32_t number;

		if (strncmp(name, rows[i].start, len))
			continue;
		number = (uint32_t)strtoul(name + len, NULL, 10);
		if (number && (!rows[i].number || number == rows[i].number))
			add_cuda(f, (rows[i].number ? rows[i].cuda : number) * 1000);
	}
}

/* ---- cuDNN ---- */

static unsigned defined_number(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at ? (unsigned)strtoul(at + strlen(name), NULL, 10) : 0;
}

/* Reads FOLDER/include/cudnn_version.h for FOLDER/lib/libcudnn.so.9. */
static uint32_t version_in_header(const char *path)
{
	char header[PATH_MAX + 32], text[8192];
	const char *slash = strrchr(path, '/');
	cleanup_file FILE *f = NULL;
	unsigned major;

	if (!slash)
		return 0;
	snprintf(header, sizeof(header), "%.*s/../include/cudnn_version.h", (int)(slash - path),
		 path);
	f = regular_file_read(header, NULL);
	if (!f)
		return 0;
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	major = defined_number(text, "#define CUDNN_MAJOR ");
	return major ? major * 1000 + defined_number(text, "#define CUDNN_MINOR ") * 10 : 0;
}

/* Finds the CUDA of SITE/nvidia/cudnn/lib/libcudnn.so.9 by the name
 * SITE/nvidia_cudnn_cu12-9.12.0.46.dist-info; 0: there is no such folder, or several. */
static uint32_t cuda_of_package(const char *path)
{
	static const char folder[] = "/nvidia/", package[] = "/nvidia_cudnn_cu";
	const char *end = strstr(path, folder);
	char pattern[PATH_MAX + 64];
	glob_t found = { 0 };
	uint32_t cuda = 0;

	if (!end)
		return 0;
	snprintf(pattern, sizeof(pattern), "%.*s%s*.dist-info", (int)(end - path), path, package);
	if (!glob(pattern, 0, NULL, &found)) {
		if (found.gl_pathc == 1)
			cuda = (uint32_t)strtoul(found.gl_pathv[0] + (end - path) + strlen(package),
						 NULL, 10) *
			       1000;
		globfree(&found);
	}
	return cuda;
}

static void add_cudnn(struct version_facts *f, const char *path, const char *number)
{
	uint32_t exact = strchr(number, '.') ? version_of(number, 0) : version_in_header(path);

	f->cudnn = exact ? exact : version_of(number, NEWEST_MINOR);
	f->cudnn_cuda = cuda_of_package(path);
}

void version_rules_add_library(struct version_facts *f, const char *path)
{
	static const char blas[] = "libcublas.so.", lt[] = "libcublasLt.so.",
			  cudnn[] = "libcudnn.so.";
	char whole[PATH_MAX];
	const char *file = realpath(path, whole) ? whole : path, *slash = strrchr(file, '/'),
		   *name = slash ? slash + 1 : file;

	add_named(f, name);
	/* Only a complete version number can be compared. */
	if (!strncmp(name, blas, strlen(blas)) && strchr(name + strlen(blas), '.'))
		f->cublas = version_of(name + strlen(blas), 0);
	if (!strncmp(name, lt, strlen(lt)) && strchr(name + strlen(lt), '.'))
		f->cublas_lt = version_of(name + strlen(lt), 0);
	if (!strncmp(name, cudnn, strlen(cudnn)))
		add_cudnn(f, file, name + strlen(cudnn));
}
