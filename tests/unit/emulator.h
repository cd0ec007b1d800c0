/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The built libcgpu-emulator.so as a test sees it: the driver API by dlsym(), so that what is
 * tested is what is exported. emulator_open() loads it from the build folder.
 */
#ifndef CGPU_TESTS_EMULATOR_H
#define CGPU_TESTS_EMULATOR_H

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cuda.h>

#include "common/cuda/emulator-extension.h"

static void *emulator_library;
static const struct emulator_extension *extension;

static inline void *emulator_symbol(const char *name)
{
	void *p = dlsym(emulator_library, name);

	if (!p) {
		fprintf(stderr, "libcgpu-emulator.so does not export %s\n", name);
		exit(1);
	}
	return p;
}

#define EMULATOR_TEXT_(x) #x
#define EMULATOR_TEXT(x) EMULATOR_TEXT_(x)
/* EMU(cuMemAlloc)(&p, n): the exported function of the version that <cuda.h> names. */
#define EMU(name) ((__typeof__(&name))emulator_symbol(EMULATOR_TEXT(name)))

static inline void emulator_open(void)
{
	emulator_extension_fn get;

	emulator_library = dlopen("./libcgpu-emulator.so", RTLD_LAZY | RTLD_LOCAL);
	if (!emulator_library) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	get = (emulator_extension_fn)emulator_symbol(EMULATOR_EXTENSION_SYMBOL);
	extension = get(EMULATOR_EXTENSION_VERSION);
}

/* Initialised and with the primary context current. */
static inline void emulator_start(void)
{
	CUcontext context;

	emulator_open();
	if (EMU(cuInit)(0) || EMU(cuDevicePrimaryCtxRetain)(&context, 0) ||
	    EMU(cuCtxSetCurrent)(context))
		exit(1);
}

/* Run body in a child process: what it breaks is broken there only. Returns the wait status;
 * SIGALRM: it did not end. */
static inline int emulator_in_child(void (*body)(void))
{
	int status = -1;
	pid_t pid = fork();

	if (!pid) {
		signal(SIGSEGV, SIG_DFL);
		alarm(300);
		body();
		_exit(0);
	}
	if (pid > 0)
		waitpid(pid, &status, 0);
	return status;
}

#endif
