/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The texts and all that nvcc makes of them lie in a folder of their own, which is removed. Objects of several texts are made
 * one by the linker: names that are local to a text stay so. When this process is ended, as an
 * interrupt of the cell does, nvcc is told to end.
 */
#define _GNU_SOURCE
#include "compiler/nvcc.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/error.h"

#define FLAGS_MAX 128
#define FILES_MAX 64

struct job {
	const struct nvcc_request *request;
	char folder[256];
	char arch[64];
	struct buffer object, log, tmpdir, include;
	struct buffer sources, objects; /* paths, each with its NUL */
	size_t n_sources;
};

static char *in_folder(const char *folder, const char *below)
{
	char *path = NULL;

	if (!folder || !*folder || asprintf(&path, "%s%s", folder, below) < 0)
		return NULL;
	if (!access(path, X_OK))
		return path;
	free(path);
	return NULL;
}

char *nvcc_find(const char *cuda_root, struct error *err)
{
	const char *given = getenv("CGPU_NVCC"), *list = getenv("PATH");
	const char *roots[] = { getenv("CUDA_HOME"), getenv("CUDA_PATH"), cuda_root, "/usr/local/cuda" };
	cleanup_free char *path = strdup(list ? list : "");
	char *found = given ? in_folder(given, "") : NULL, *rest = NULL;

	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]) && !found && !given; i++)
		found = in_folder(roots[i], "/bin/nvcc");
	for (char *dir = path ? strtok_r(path, ":", &rest) : NULL; dir && !found && !given; dir = strtok_r(NULL, ":", &rest))
		found = in_folder(dir, "/nvcc");
	if (!found)
		error_set(err, ERROR_NOT_FOUND, "a %%%%cuda cell is compiled by nvcc, and %s. Install the CUDA toolkit "
			  "(in a shell: apt install nvidia-cuda-toolkit, or pip install nvidia-cuda-nvcc) or name its nvcc in "
			  "CGPU_NVCC. Cells without %%%%cuda need no nvcc: C with CUDA kernels is built in",
			  given ? "CGPU_NVCC names no program" : "there is none in $CUDA_HOME, /usr/local/cuda or $PATH");
	return found;
}

/* Is it a text to compile, rather than one for `#include`? */
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
	cleanup_file FILE *to = NULL;

	buffer_printf(&path, "%s/%s", j->folder, f->name);
	if (buffer_check(&path, err))
		return -1;
	to = fopen(buffer_text(&path), "we");
	if (!to || fputs(f->text, to) < 0 || fflush(to))
		return error_errno(err, "cannot write %s for nvcc", buffer_text(&path));
	if (!is_source(dot))
		return 0;
	buffer_append(&j->sources, path.data, path.len);
	buffer_putc(&j->sources, '\0');
	buffer_printf(&j->objects, "%s/%.*s.o", j->folder, (int)(dot - f->name), f->name);
	buffer_putc(&j->objects, '\0');
	j->n_sources++;
	return 0;
}

/* The paths behind argv[n]. */
static size_t add_paths(const char **argv, size_t n, const struct buffer *paths)
{
	for (size_t i = 0; i < paths->len; i += strlen(paths->data + i) + 1)
		argv[n++] = paths->data + i;
	return n;
}

static int prepare(struct job *j, struct error *err)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(j->folder, sizeof(j->folder), "%.200s/cgpu-nvcc-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(j->folder)) {
		j->folder[0] = '\0';
		return error_errno(err, "cannot make a folder for nvcc in %s", tmp && *tmp ? tmp : "/tmp");
	}
	snprintf(j->arch, sizeof(j->arch), "arch=compute_%u,code=compute_%u", j->request->sm, j->request->sm);
	buffer_printf(&j->object, "%s/.whole.o", j->folder);
	buffer_printf(&j->log, "%s/.log", j->folder);
	buffer_printf(&j->tmpdir, "TMPDIR=%s", j->folder);
	buffer_printf(&j->include, "-I%s", j->folder);
	for (size_t i = 0; i < j->request->n_files; i++)
		if (write_file(j, &j->request->files[i], err))
			return -1;
	if (buffer_check(&j->object, err) || buffer_check(&j->log, err) || buffer_check(&j->tmpdir, err) ||
	    buffer_check(&j->include, err) || buffer_check(&j->sources, err) || buffer_check(&j->objects, err))
		return -1;
	return 0;
}

static _Noreturn void become(struct job *j, const char *const *argv, pid_t parent)
{
	int log = open(buffer_text(&j->log), O_WRONLY | O_CREAT | O_APPEND, 0600), null = open("/dev/null", O_RDONLY);

	signal(SIGINT, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent || log < 0 || null < 0 || dup2(null, 0) < 0 || dup2(log, 1) < 0 || dup2(log, 2) < 0)
		_exit(126);
	close_range(3, ~0u, 0);
	putenv(j->tmpdir.data);
	execvp(argv[0], (char *const *)argv);
	dprintf(2, "%s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

/* 1: it has failed, and said why. */
static int run(struct job *j, const char *const *argv, struct error *err)
{
	pid_t parent = getpid(), pid = fork();
	int status;

	if (!pid)
		become(j, argv, parent);
	if (pid < 0)
		return error_errno(err, "cannot start %s", argv[0]);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return error_errno(err, "waitpid for %s", argv[0]);
	return status != 0;
}

static int run_nvcc(struct job *j, struct error *err)
{
	const char *const own[] = { j->request->nvcc, "-c", "-rdc=false", "-gencode", j->arch, "--no-compress", "-lineinfo", "-I.",
				    buffer_text(&j->include), "-Xcompiler", "-fPIC,-g1,-gdwarf-4", "-odir", j->folder };
	const char *argv[sizeof(own) / sizeof(own[0]) + FLAGS_MAX + FILES_MAX + 1];
	size_t n = 0;

	for (; n < sizeof(own) / sizeof(own[0]); n++)
		argv[n] = own[n];
	for (size_t i = 0; i < FLAGS_MAX && j->request->flags[i]; i++)
		argv[n++] = j->request->flags[i];
	n = add_paths(argv, n, &j->sources);
	argv[n] = NULL;
	return run(j, argv, err);
}

static int run_linker(struct job *j, struct error *err)
{
	const char *argv[4 + FILES_MAX + 1] = { "ld", "-r", "-o", buffer_text(&j->object) };

	argv[add_paths(argv, 4, &j->objects)] = NULL;
	return run(j, argv, err);
}

/* 1: a program has failed. */
static int make_object(struct job *j, struct error *err)
{
	int failed;

	if (j->request->n_files > FILES_MAX)
		return error_set(err, ERROR_LIMIT, "a program of more than %d files", FILES_MAX);
	if (prepare(j, err))
		return -1;
	failed = run_nvcc(j, err);
	return failed ? failed : run_linker(j, err);
}

static int read_file(const char *path, struct buffer *ret, struct error *err)
{
	cleanup_file FILE *f = fopen(path, "re");
	char part[16384];
	size_t n;

	if (!f)
		return error_errno(err, "cannot read %s, which nvcc should have made", path);
	while ((n = fread(part, 1, sizeof(part), f)))
		buffer_append(ret, part, n);
	return ferror(f) ? error_errno(err, "cannot read %s", path) : buffer_check(ret, err);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)type, (void)at;
	return remove(path);
}

int nvcc_compile(const struct nvcc_request *request, struct nvcc_answer *ret, struct error *err)
{
	struct job j = { .request = request };
	int failed;

	*ret = (struct nvcc_answer){ 0 };
	failed = make_object(&j, err);
	ret->ok = !failed;
	if (failed >= 0)
		failed = read_file(buffer_text(&j.log), &ret->log, err);
	if (ret->ok)
		failed = read_file(buffer_text(&j.object), &ret->object, err);
	if (*j.folder)
		nftw(j.folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	buffer_release(&j.object);
	buffer_release(&j.log);
	buffer_release(&j.tmpdir);
	buffer_release(&j.include);
	buffer_release(&j.sources);
	buffer_release(&j.objects);
	return failed ? -1 : 0;
}

void nvcc_answer_release(struct nvcc_answer *a)
{
	buffer_release(&a->object);
	buffer_release(&a->log);
}
