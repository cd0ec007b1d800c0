/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The texts and all output of nvcc are in a folder of their own, which is removed; its path is
 * derived from the program, so that nvcc makes the same object again. Objects of several texts are
 * linked into one, in which names that are local to a text stay local. When this process ends, as
 * after an interrupt of the cell, nvcc is ended with it.
 */
#define _GNU_SOURCE
#include "compiler/device/nvcc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "common/base/error.h"
#include "common/cuda/without-cuda.h"
#include "compiler/device/tool-folder.h"
#include "compiler/device/tool.h"
#include "config.h"

#define FLAGS_MAX 128
#define FILES_MAX 64

struct job {
	const struct nvcc_request *request;
	struct tool_folder folder;
	char arch[64];
	bool relocatable; /* device code of one text may use that of another */
	struct buffer object, device_object, log, include, legacy;
	struct buffer sources, objects; /* paths, each with its NUL */
	size_t n_sources;
};

char *nvcc_find(const char *cuda_root, struct error *err)
{
	char *found = HAVE_CUDA ? tool_find("nvcc", "CGPU_NVCC", cuda_root) : NULL;

	if (!HAVE_CUDA)
		error_set(err, ERROR_UNSUPPORTED, "%s", BUILT_WITHOUT_CUDA);
	else if (!found)
		error_set(err, ERROR_NOT_FOUND,
			  "a %%%%cuda cell is compiled by nvcc, and %s. Install the CUDA toolkit "
			  "(in a shell: apt install nvidia-cuda-toolkit, or pip install "
			  "nvidia-cuda-nvcc) or name its nvcc in CGPU_NVCC. Cells without %%%%cuda "
			  "need no nvcc: C with CUDA kernels is built in",
			  getenv("CGPU_NVCC")
				  ? "CGPU_NVCC names no program"
				  : "there is none in $CUDA_HOME, /usr/local/cuda or $PATH");
	return found;
}

/* Tells whether a file is compiled, rather than included. */
static bool is_source(const char *dot)
{
	static const char *const suffixes[] = { ".cu", ".cpp", ".cc", ".cxx", ".c" };

	for (size_t i = 0; dot && i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
		if (!strcmp(dot, suffixes[i]))
			return true;
	return false;
}

static int write_file(struct job *j, const struct nvcc_file *f, struct error *err)
{
	cleanup_buffer struct buffer path = BUFFER_INIT;
	const char *dot = strrchr(f->name, '.');

	buffer_printf(&path, "%s/%s", j->folder.path, f->name);
	if (buffer_check(&path, err) ||
	    tool_write_file(buffer_text(&path), f->text, strlen(f->text), err))
		return -1;
	if (!is_source(dot))
		return 0;
	buffer_append(&j->sources, path.data, path.len);
	buffer_putc(&j->sources, '\0');
	buffer_printf(&j->objects, "%s/%.*s.o", j->folder.path, (int)(dot - f->name), f->name);
	buffer_putc(&j->objects, '\0');
	j->n_sources++;
	return 0;
}

/* Adds the paths behind argv[n]. */
static size_t add_paths(const char **argv, size_t n, const struct buffer *paths)
{
	for (size_t i = 0; i < paths->len; i += strlen(paths->data + i) + 1)
		argv[n++] = paths->data + i;
	return n;
}

static bool is_relocatable(const char *const *flags)
{
	for (; *flags; flags++) {
		bool named =
			!strcmp(*flags, "-rdc") || !strcmp(*flags, "--relocatable-device-code");

		if (!strcmp(*flags, "-rdc=true") ||
		    !strcmp(*flags, "--relocatable-device-code=true") || !strcmp(*flags, "-dc") ||
		    (named && flags[1] && !strcmp(flags[1], "true")))
			return true;
	}
	return false;
}

static uint64_t add_text(uint64_t hash, const char *text)
{
	return XXH3_64bits_withSeed(text, strlen(text), hash);
}

/*
 * Returns a key for the folder. nvcc derives names from the path of a text: those in `namespace {
 * }`, and an identifier of the text for linking device code. The same program must get the same
 * names.
 */
static uint64_t key_of(const struct nvcc_request *r)
{
	uint64_t hash = r->sm;

	for (size_t i = 0; i < r->n_files; i++)
		hash = add_text(add_text(hash, r->files[i].name), r->files[i].text);
	for (size_t i = 0; r->flags[i]; i++)
		hash = add_text(hash, r->flags[i]);
	return hash ? hash : 1;
}

static int prepare(struct job *j, struct error *err)
{
	j->relocatable = is_relocatable(j->request->flags);
	if (tool_folder_make(&j->folder, "nvcc", key_of(j->request), err))
		return -1;
	snprintf(j->arch, sizeof(j->arch), "arch=compute_%u,code=compute_%u", j->request->sm,
		 j->request->sm);
	buffer_printf(&j->object, "%s/.whole.o", j->folder.path);
	buffer_printf(&j->device_object, "%s/.device.o", j->folder.path);
	buffer_printf(&j->log, "%s/.log", j->folder.path);
	buffer_printf(&j->include, "-I%s", j->folder.path);
	buffer_printf(&j->legacy, "%s/cgpu-legacy.h", j->request->prelude);
	for (size_t i = 0; i < j->request->n_files; i++)
		if (write_file(j, &j->request->files[i], err))
			return -1;
	if (buffer_check(&j->object, err) || buffer_check(&j->device_object, err) ||
	    buffer_check(&j->log, err) || buffer_check(&j->include, err) ||
	    buffer_check(&j->legacy, err) || buffer_check(&j->sources, err) ||
	    buffer_check(&j->objects, err))
		return -1;
	return 0;
}

static int run_nvcc(struct job *j, struct error *err)
{
	const char *const own[] = { j->request->nvcc,
				    "-c",
				    j->relocatable ? "-rdc=true" : "-rdc=false",
				    "-gencode",
				    j->arch,
				    "--no-compress",
				    "-lineinfo",
				    "-I.",
				    buffer_text(&j->include),
				    "-include",
				    buffer_text(&j->legacy),
				    "-Xcompiler",
				    "-fPIC,-g1,-gdwarf-4",
				    "-odir",
				    j->folder.path };
	const char *argv[sizeof(own) / sizeof(own[0]) + FLAGS_MAX + FILES_MAX + 1];
	size_t n = 0;

	for (; n < sizeof(own) / sizeof(own[0]); n++)
		argv[n] = own[n];
	for (size_t i = 0; i < FLAGS_MAX && j->request->flags[i]; i++)
		argv[n++] = j->request->flags[i];
	n = add_paths(argv, n, &j->sources);
	argv[n] = NULL;
	return tool_run(&j->folder, buffer_text(&j->log), argv, err);
}

/*
 * Makes an object that registers the device code of all texts as one. It is linked at load time,
 * together with the device runtime where the driver needs that (runtime/cuda/device-module.h).
 */
static int run_device_linker(struct job *j, struct error *err)
{
	const char *const own[] = { j->request->nvcc,
				    "-dlink",
				    "-cudadevrt",
				    "none",
				    "-gencode",
				    j->arch,
				    "--no-compress",
				    "-Xcompiler",
				    "-fPIC,-g1,-gdwarf-4",
				    "-o",
				    buffer_text(&j->device_object) };
	const char *argv[sizeof(own) / sizeof(own[0]) + FILES_MAX + 1];
	int failed;

	memcpy(argv, own, sizeof(own));
	argv[add_paths(argv, sizeof(own) / sizeof(own[0]), &j->objects)] = NULL;
	failed = tool_run(&j->folder, buffer_text(&j->log), argv, err);
	if (failed)
		return failed;
	buffer_append(&j->objects, j->device_object.data, j->device_object.len + 1);
	return buffer_check(&j->objects, err);
}

static int run_linker(struct job *j, struct error *err)
{
	const char *argv[4 + FILES_MAX + 2] = { "ld", "-r", "-o", buffer_text(&j->object) };

	argv[add_paths(argv, 4, &j->objects)] = NULL;
	return tool_run(&j->folder, buffer_text(&j->log), argv, err);
}

/* Makes the object. 1: a program has failed. */
static int make_object(struct job *j, struct error *err)
{
	int failed;

	if (j->request->n_files > FILES_MAX)
		return error_set(err, ERROR_LIMIT, "a program of more than %d files", FILES_MAX);
	if (prepare(j, err))
		return -1;
	failed = run_nvcc(j, err);
	if (!failed && j->relocatable)
		failed = run_device_linker(j, err);
	return failed ? failed : run_linker(j, err);
}

int nvcc_compile(const struct nvcc_request *request, struct nvcc_answer *ret, struct error *err)
{
	struct job j = { .request = request };
	int failed;

	*ret = (struct nvcc_answer){ 0 };
	failed = make_object(&j, err);
	ret->ok = !failed;
	if (failed >= 0)
		failed = tool_read_file(buffer_text(&j.log), &ret->log, err);
	if (ret->ok)
		failed = tool_read_file(buffer_text(&j.object), &ret->object, err);
	tool_folder_remove(&j.folder);
	buffer_release(&j.object);
	buffer_release(&j.device_object);
	buffer_release(&j.log);
	buffer_release(&j.include);
	buffer_release(&j.legacy);
	buffer_release(&j.sources);
	buffer_release(&j.objects);
	return failed ? -1 : 0;
}

void nvcc_answer_release(struct nvcc_answer *a)
{
	buffer_release(&a->object);
	buffer_release(&a->log);
}
