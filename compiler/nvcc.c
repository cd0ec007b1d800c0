/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text and all that nvcc makes of it lie in a folder of their own, which is removed. When this process is ended, as an
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

struct job {
	const struct nvcc_request *request;
	char folder[256];
	char arch[64];
	struct buffer source, object, log, tmpdir;
	const char *argv[FLAGS_MAX + 20];
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

static void set_arguments(struct job *j)
{
	const char *const own[] = { j->request->nvcc, "-c", "-rdc=false", "-gencode", j->arch, "--no-compress", "-lineinfo",
				    "-I.", "-Xcompiler", "-fPIC,-g1,-gdwarf-4", "-o", buffer_text(&j->object),
				    buffer_text(&j->source) };
	size_t n = 0;

	for (; n < sizeof(own) / sizeof(own[0]); n++)
		j->argv[n] = own[n];
	for (size_t i = 0; i < FLAGS_MAX && j->request->flags[i]; i++)
		j->argv[n++] = j->request->flags[i];
	j->argv[n] = NULL;
}

static int prepare(struct job *j, struct error *err)
{
	const char *tmp = getenv("TMPDIR");
	cleanup_file FILE *f = NULL;

	snprintf(j->folder, sizeof(j->folder), "%.200s/cgpu-nvcc-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(j->folder)) {
		j->folder[0] = '\0';
		return error_errno(err, "cannot make a folder for nvcc in %s", tmp && *tmp ? tmp : "/tmp");
	}
	snprintf(j->arch, sizeof(j->arch), "arch=compute_%u,code=compute_%u", j->request->sm, j->request->sm);
	buffer_printf(&j->source, "%s/cell.cu", j->folder);
	buffer_printf(&j->object, "%s/cell.o", j->folder);
	buffer_printf(&j->log, "%s/log", j->folder);
	buffer_printf(&j->tmpdir, "TMPDIR=%s", j->folder);
	if (buffer_check(&j->source, err) || buffer_check(&j->object, err) || buffer_check(&j->log, err) ||
	    buffer_check(&j->tmpdir, err))
		return -1;
	f = fopen(buffer_text(&j->source), "we");
	if (!f || fputs(j->request->text, f) < 0 || fflush(f))
		return error_errno(err, "cannot write %s for nvcc", buffer_text(&j->source));
	set_arguments(j);
	return 0;
}

static _Noreturn void become_nvcc(struct job *j, pid_t parent)
{
	int log = open(buffer_text(&j->log), O_WRONLY | O_CREAT | O_TRUNC, 0600), null = open("/dev/null", O_RDONLY);

	signal(SIGINT, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent || log < 0 || null < 0 || dup2(null, 0) < 0 || dup2(log, 1) < 0 || dup2(log, 2) < 0)
		_exit(126);
	close_range(3, ~0u, 0);
	putenv(j->tmpdir.data);
	execv(j->request->nvcc, (char *const *)j->argv);
	dprintf(2, "%s: %s\n", j->request->nvcc, strerror(errno));
	_exit(127);
}

static int run(struct job *j, int *ret_status, struct error *err)
{
	pid_t parent = getpid(), pid = fork();

	if (!pid)
		become_nvcc(j, parent);
	if (pid < 0)
		return error_errno(err, "cannot start %s", j->request->nvcc);
	while (waitpid(pid, ret_status, 0) < 0)
		if (errno != EINTR)
			return error_errno(err, "waitpid for nvcc");
	return 0;
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
	int status = 0, failed;

	*ret = (struct nvcc_answer){ 0 };
	failed = prepare(&j, err) || run(&j, &status, err) || read_file(buffer_text(&j.log), &ret->log, err);
	ret->ok = !failed && !status;
	if (ret->ok)
		failed = read_file(buffer_text(&j.object), &ret->object, err);
	if (*j.folder)
		nftw(j.folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	buffer_release(&j.source);
	buffer_release(&j.object);
	buffer_release(&j.log);
	buffer_release(&j.tmpdir);
	return failed ? -1 : 0;
}

void nvcc_answer_release(struct nvcc_answer *a)
{
	buffer_release(&a->object);
	buffer_release(&a->log);
}
