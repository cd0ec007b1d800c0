/* SPDX-License-Identifier: Apache-2.0 */
/* The declarations of a text tell what it needs, before the driver is asked: the driver's messages
 * are for people. */
#include "runtime/cuda/code/device-module.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/cuda/cuda-fault.h"
#include "common/cuda/cuda-folders.h"
#include "common/cuda/ptx-link.h"
#include "common/text/demangle.h"
#include "config.h"
#include "runtime/cuda/driver/device-state.h"
#include "runtime/cuda/ptx/ptx-condition.h"

#define LIBRARY "libcudadevrt.a"
#define LOG_MAX 900
#define NAME_MAX_SHOWN 80
#define N_OPTIONS 3

/* One text on its way. */
struct load {
	const char *ptx;
	char needs[NAME_MAX_SHOWN]; /* a function of the device runtime; "": none */
	char library[PATH_MAX];     /* that it is linked with; "": it is loaded as it is */
	char log[LOG_MAX];
	CUjit_option options[N_OPTIONS];
	void *values[N_OPTIONS]; /* of the options; the driver writes some of them */
};

/* A core dump has the lines of the code only if the driver's compiler has kept them. */
static void set_options(struct load *l)
{
	l->options[0] = CU_JIT_ERROR_LOG_BUFFER;
	l->values[0] = l->log;
	l->options[1] = CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES;
	l->values[1] = (void *)(uintptr_t)sizeof(l->log);
	l->options[2] = CU_JIT_GENERATE_LINE_INFO;
	l->values[2] = (void *)1;
}

static bool has_library(void *context, const char *folder)
{
	struct load *l = context;

	for (size_t i = 0; cuda_folders_libraries[i]; i++)
		if (snprintf(l->library, sizeof(l->library), "%s/%s/" LIBRARY, folder,
			     cuda_folders_libraries[i]) < (int)sizeof(l->library) &&
		    !access(l->library, R_OK))
			return true;
	l->library[0] = '\0';
	return false;
}

/* The library of the CUDA with which cells are compiled comes before all others. */
static void find_library(struct load *l)
{
	const char *only = getenv("CGPU_CUDA");

	if ((only && *only) || !has_library(l, CGPU_CUDA_ROOT))
		cuda_folders_find("cuda_runtime", NULL, has_library, l);
}

static CUresult load_image(struct load *l, const void *image, CUmodule *ret)
{
	set_options(l);
	return device.driver->cuModuleLoadDataEx(ret, image, N_OPTIONS, l->options, l->values);
}

/* The image is the link's own. The text comes before the library: what is wrong with it is to be
 * told first. */
static CUresult load_linked(struct load *l, CUmodule *ret)
{
	const struct cuda_driver *d = device.driver;
	CUlinkState link;
	CUresult result;
	void *image;
	size_t size;

	set_options(l);
	result = d->cuLinkCreate(N_OPTIONS, l->options, l->values, &link);
	if (result)
		return result;
	result = d->cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)l->ptx, strlen(l->ptx) + 1,
				  "device code", 0, NULL, NULL);
	if (!result)
		result = d->cuLinkAddFile(link, CU_JIT_INPUT_LIBRARY, l->library, 0, NULL, NULL);
	if (!result)
		result = d->cuLinkComplete(link, &image, &size);
	if (!result)
		result = load_image(l, image, ret);
	d->cuLinkDestroy(link);
	return result;
}

/* PTX that is newer than the driver, as when a package of the compiler is newer. The cell is not at
 * fault. */
static void tell_too_new(const struct load *l, int major, int minor, struct error *err)
{
	const char *directive = strstr(l->ptx, ".version");
	char version[16] = "";

	if (directive)
		sscanf(directive, ".version %15[0-9.]", version);
	error_set(err, ERROR_COMPILE,
		  "the driver, which is for CUDA %d.%d, does not take the code of this cell: it is "
		  "PTX %s, of a newer CUDA. Install a newer driver (cells need one for CUDA 11.8), "
		  "or, for %%%%cuda, the nvcc of the driver's CUDA: pip install "
		  "\"nvidia-cuda-nvcc==%d.%d.*\", and restart the kernel",
		  major, minor, version, major, minor);
}

static void tell_missing(const struct load *l, int major, int minor, struct error *err)
{
	error_set(err, ERROR_COMPILE,
		  "device code of this cell launches kernels, or copies or makes streams (it calls "
		  "%s). For that the driver needs the library " LIBRARY
		  ", which is not installed: it is neither beside the headers of CUDA, nor in "
		  "$CUDA_HOME, in the Python environment, in /usr/local/cuda or in /usr. In a "
		  "shell: pip install \"nvidia-cuda-runtime==%d.%d.*\", and run the cell again",
		  l->needs, major, minor);
}

static void tell_refused(const struct load *l, CUresult result, struct error *err)
{
	const char *why = "";

	device.driver->cuGetErrorString(result, &why);
	error_set(err, ERROR_COMPILE,
		  "the device does not take the code of this cell%s%s: %s (%d)%s%s",
		  l->library[0] ? ", linked with " : "", l->library, why, (int)result,
		  l->log[0] ? ": " : "", l->log);
}

/* One that a cell may define: neither the driver nor the device runtime has it. */
static bool is_of_a_cell(const char *name)
{
	static const char *const of_driver[] = { "vprintf", "malloc", "free", "__assertfail" };

	for (size_t i = 0; i < sizeof(of_driver) / sizeof(of_driver[0]); i++)
		if (!strcmp(name, of_driver[i]))
			return false;
	return !ptx_link_is_device_runtime(name);
}

static void tell_undefined(const char *name, struct error *err)
{
	char shown[NAME_MAX_SHOWN];

	demangle(name, shown, sizeof(shown));
	error_set(err, ERROR_NOT_FOUND,
		  "device code of this cell calls %s, which is declared, and which no cell "
		  "defines. Define it in a cell, and launch again",
		  shown);
}

static void tell(const struct load *l, CUresult result, struct error *err)
{
	int major = device.info.driver_version / 1000,
	    minor = device.info.driver_version % 1000 / 10;
	char name[NAME_MAX_SHOWN];

	if (result == CUDA_ERROR_UNSUPPORTED_PTX_VERSION)
		tell_too_new(l, major, minor, err);
	else if (l->needs[0] && !l->library[0] && result != CUDA_ERROR_OUT_OF_MEMORY &&
		 cuda_fault_kind(result) == CUDA_FAULT_RECOVERABLE)
		tell_missing(l, major, minor, err);
	else if (result == CUDA_ERROR_INVALID_PTX && !device.driver->extension &&
		 ptx_link_needs(l->ptx, strlen(l->ptx), is_of_a_cell, name, sizeof(name)))
		tell_undefined(name, err);
	else
		tell_refused(l, result, err);
}

CUresult device_module_load(const char *ptx, CUmodule *ret, struct error *err)
{
	cleanup_buffer struct buffer rewritten = BUFFER_INIT;
	struct load l = { .ptx = ptx };
	CUresult result;

	/* The emulated driver's handles are addresses, too, and it says more about a wrong one. */
	if (!device.driver->extension && ptx_condition_rewrite(ptx, &rewritten)) {
		if (buffer_check(&rewritten, err))
			return CUDA_ERROR_OUT_OF_MEMORY;
		l.ptx = buffer_text(&rewritten);
	}
	if (ptx_link_needs_device_runtime(l.ptx, strlen(l.ptx), l.needs, sizeof(l.needs)))
		find_library(&l);
	result = l.library[0] ? load_linked(&l, ret) : load_image(&l, l.ptx, ret);
	if (result)
		tell(&l, result, err);
	return result;
}
