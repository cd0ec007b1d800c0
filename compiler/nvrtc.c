/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "compiler/nvrtc.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/buffer.h"
#include "common/error.h"
#include "common/log.h"
#include "common/without-cuda.h"
#include "config.h"

typedef struct program *nvrtc_handle;

/* The few calls, as NVRTC's manual declares them. Results: 0 is success, 6 a text that does not
 * compile. */
struct nvrtc_calls {
	int (*version)(int *major, int *minor);
	const char *(*error_string)(int result);
	int (*create)(nvrtc_handle *ret, const char *text, const char *name, int n_headers,
		      const char *const *headers, const char *const *include_names);
	int (*destroy)(nvrtc_handle *program);
	int (*compile)(nvrtc_handle program, int n_options, const char *const *options);
	int (*ptx_size)(nvrtc_handle program, size_t *ret);
	int (*ptx)(nvrtc_handle program, char *to);
	int (*log_size)(nvrtc_handle program, size_t *ret);
	int (*log)(nvrtc_handle program, char *to);
};

#define NVRTC_COMPILATION 6
#define PROBE_MS 20000

static int bind(struct nvrtc *n, struct nvrtc_calls *c)
{
	const struct {
		const char *name;
		void *to;
	} symbols[] = {
		{ "nvrtcVersion", &c->version },
		{ "nvrtcGetErrorString", &c->error_string },
		{ "nvrtcCreateProgram", &c->create },
		{ "nvrtcDestroyProgram", &c->destroy },
		{ "nvrtcCompileProgram", &c->compile },
		{ "nvrtcGetPTXSize", &c->ptx_size },
		{ "nvrtcGetPTX", &c->ptx },
		{ "nvrtcGetProgramLogSize", &c->log_size },
		{ "nvrtcGetProgramLog", &c->log },
	};

	for (size_t i = 0; i < sizeof(symbols) / sizeof(*symbols); i++) {
		void *p = dlsym(n->library, symbols[i].name);

		if (!p)
			return -1;
		memcpy(symbols[i].to, &p, sizeof(p));
	}
	return 0;
}

/* NVRTC does not free all its memory when it is unloaded. */
#define FOR_GOOD (RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)

static void *open_in(const char *folder, const char *below)
{
	static const char *const files[] = { "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so" };
	char path[4096];
	void *library = NULL;

	for (size_t i = 0; i < sizeof(files) / sizeof(*files) && !library; i++) {
		snprintf(path, sizeof(path), "%s%s%s", folder, below, files[i]);
		library = dlopen(path, FOR_GOOD);
	}
	return library;
}

static void *open_library(const char *cuda_root)
{
	static const char *const below[] = { "/lib64/", "/lib/", "/../cuda_nvrtc/lib/",
					     "/targets/x86_64-linux/lib/",
					     "/targets/sbsa-linux/lib/" };
	const char *given = getenv("CGPU_NVRTC");
	void *library = NULL;

	if (given && *given)
		return dlopen(given, FOR_GOOD);
	for (size_t i = 0; cuda_root && i < sizeof(below) / sizeof(*below) && !library; i++)
		library = open_in(cuda_root, below[i]);
	return library ? library : open_in("", "");
}

/*
 * NVRTC opens its builtins by their bare name. They lie beside it, where the dynamic linker does not look for them: only
 * later releases than 13.0 say so. What is loaded already, it is given.
 */
static void bring_builtins(void *library, int major, int minor)
{
	char folder[PATH_MAX], path[PATH_MAX + 64];

	if (dlinfo(library, RTLD_DI_ORIGIN, folder))
		return;
	snprintf(path, sizeof(path), "%s/libnvrtc-builtins.so.%d.%d", folder, major, minor);
	dlopen(path, FOR_GOOD);
}

/*
 * NVRTC opens the CUDA driver, for no need of ours. Only workers do that: here the name stands for a library whose functions
 * all fail, the one that stands before the driver where cells run.
 */
static void keep_driver_out(void)
{
	static const char file[] = "libcgpu-shim.so";
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - sizeof(file));
	char *slash;

	path[n > 0 ? n : 0] = '\0';
	slash = strrchr(path, '/');
	strcpy(slash ? slash + 1 : path, file);
	if (!dlopen(path, FOR_GOOD))
		log_warning("the compiler may open the CUDA driver: %s", dlerror());
}

int nvrtc_load(struct nvrtc *n, const char *cuda_root, struct error *err)
{
	struct nvrtc_calls *calls;
	int major, minor;

	if (n->library)
		return 0;
	if (n->tried)
		return error_set(err, ERROR_NOT_FOUND, "%s", n->problem);
	n->tried = true;
	if (!HAVE_CUDA) {
		snprintf(n->problem, sizeof(n->problem), "%s", BUILT_WITHOUT_CUDA);
		return error_set(err, ERROR_UNSUPPORTED, "%s", n->problem);
	}
	keep_driver_out();
	n->library = open_library(cuda_root);
	calls = calloc(1, sizeof(*calls));
	if (n->library && calls && !bind(n, calls) && !calls->version(&major, &minor)) {
		bring_builtins(n->library, major, minor);
		n->calls = calls;
		n->precompiles = dlsym(n->library, "nvrtcGetPCHCreateStatus") != NULL;
		snprintf(n->version, sizeof(n->version), "%d.%d", major, minor);
		return 0;
	}
	const char *given = getenv("CGPU_NVRTC");

	snprintf(n->problem, sizeof(n->problem),
		 "CUDA code needs NVIDIA's compiler library NVRTC, and %s%s. Install the pip "
		 "package nvidia-cuda-nvrtc (with "
		 "nvidia-cuda-runtime and nvidia-cuda-cccl) or a CUDA toolkit, or name the file in "
		 "CGPU_NVRTC",
		 given && *given ? "CGPU_NVRTC names what cannot be loaded: "
				 : "no libnvrtc.so.13 or .12 was found",
		 given && *given ? given : "");
	free(calls);
	if (n->library)
		dlclose(n->library);
	n->library = NULL;
	return error_set(err, ERROR_NOT_FOUND, "%s", n->problem);
}

uint32_t nvrtc_target(const struct nvrtc *n, uint32_t wanted)
{
	int (*count)(int *ret) = NULL, (*list)(int *ret) = NULL;
	uint32_t best = 0;
	int targets[64], n_targets;

	if (n->library) {
		*(void **)&count = dlsym(n->library, "nvrtcGetNumSupportedArchs");
		*(void **)&list = dlsym(n->library, "nvrtcGetSupportedArchs");
	}
	if (!count || !list || count(&n_targets) || n_targets > (int)(sizeof(targets) / sizeof(targets[0])) || list(targets))
		return wanted;
	for (int i = 0; i < n_targets; i++)
		if ((uint32_t)targets[i] <= wanted && (uint32_t)targets[i] > best)
			best = (uint32_t)targets[i];
	return best ? best : wanted;
}

struct nvrtc_answer {
	char version[sizeof(((struct nvrtc *)0)->version)];
	char problem[sizeof(((struct nvrtc *)0)->problem)];
};

static _Noreturn void answer_from_child(struct nvrtc *n, const char *cuda_root, int to)
{
	struct nvrtc_answer a = { "", "" };

	nvrtc_load(n, cuda_root, NULL);
	memcpy(a.version, n->version, sizeof(a.version));
	memcpy(a.problem, n->problem, sizeof(a.problem));
	_exit(write(to, &a, sizeof(a)) != (ssize_t)sizeof(a));
}

/* What the child says. -1: it ended without a word. 0: it does not come to an end. */
static int hear(int from, struct nvrtc_answer *ret)
{
	struct pollfd fd = { .fd = from, .events = POLLIN };
	int n;

	do
		n = poll(&fd, 1, PROBE_MS);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		return n;
	return read(from, ret, sizeof(*ret)) == (ssize_t)sizeof(*ret) ? 1 : -1;
}

void nvrtc_probe(struct nvrtc *n, const char *cuda_root)
{
	struct nvrtc_answer a;
	int ends[2], got;
	pid_t pid;

	if (n->tried || pipe2(ends, O_CLOEXEC))
		return;
	pid = fork();
	if (!pid)
		answer_from_child(n, cuda_root, ends[1]);
	close(ends[1]);
	got = pid > 0 ? hear(ends[0], &a) : -1;
	close(ends[0]);
	if (pid > 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, got ? 0 : WNOHANG); /* one that hangs inside Linux does not even die */
	}
	if (got < 0) {
		nvrtc_load(n, cuda_root, NULL);
		return;
	}
	if (!got) {
		n->tried = true;
		snprintf(n->problem, sizeof(n->problem), "CUDA code needs NVIDIA's compiler library NVRTC, and that hangs: it was "
			 "not loaded within %d seconds. See whether the disk that it lies on answers, or name another file in "
			 "CGPU_NVRTC, and restart the kernel. Cells without CUDA code need no NVRTC", PROBE_MS / 1000);
		return;
	}
	memcpy(n->version, a.version, sizeof(n->version));
	memcpy(n->problem, a.problem, sizeof(n->problem));
	n->tried = *n->problem;
}

void nvrtc_release(struct nvrtc *n)
{
	device_headers_release(&n->headers);
	free((void *)n->calls);
	if (n->library)
		dlclose(n->library);
	*n = (struct nvrtc){ 0 };
}

static int failed(struct nvrtc *n, const char *what, int result, struct error *err)
{
	return error_set(err, ERROR_COMPILE, "NVRTC %s: %s", what, n->calls->error_string(result));
}

static void take_log(struct nvrtc *n, nvrtc_handle program, struct buffer *log)
{
	size_t size = 0;
	char *to;

	if (n->calls->log_size(program, &size) || size < 2)
		return;
	to = buffer_extend(log, size);
	if (to && !n->calls->log(program, to))
		log->len -= 1;
}

static int take_ptx(struct nvrtc *n, nvrtc_handle program, struct buffer *ptx, struct error *err)
{
	size_t size = 0;
	int result = n->calls->ptx_size(program, &size);
	char *to = result ? NULL : buffer_extend(ptx, size);

	if (!result && !to)
		return error_set(err, ERROR_MEMORY, "out of memory for device code");
	if (!result)
		result = n->calls->ptx(program, to);
	if (result)
		return failed(n, "gives no PTX", result, err);
	ptx->len -= 1; /* its NUL */
	return 0;
}

int nvrtc_compile(struct nvrtc *n, const struct nvrtc_program *p, struct buffer *ptx, struct buffer *log, struct error *err)
{
	nvrtc_handle program;
	int result = n->calls->create(&program, p->text, p->name, 0, NULL, NULL), status = 0;

	if (result)
		return failed(n, "cannot start", result, err);
	result = n->calls->compile(program, (int)p->n_options, p->options);
	take_log(n, program, log);
	if (result == NVRTC_COMPILATION)
		status = 1;
	else if (result)
		status = failed(n, "failed", result, err);
	else
		status = take_ptx(n, program, ptx, err);
	n->calls->destroy(&program);
	return status;
}
