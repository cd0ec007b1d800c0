/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kinds of nvml.def:
 *
 *	OURS   a function of nvml-answers.c stands in its place
 *	KNOWN  the same where there is no NVML to ask
 *	OTHER  passed on; where there is no NVML it is not supported
 *
 * The machine's NVML is opened by the first call that a cell makes, so a worker that does not use
 * it has none. What is begun in it ends with the worker, and the handles of devices that it gave
 * are its own.
 */
#define _GNU_SOURCE
#include "runtime/cuda/libcuda/nvml.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "runtime/cuda/driver/device-state.h"
#include "runtime/cuda/libcuda/libcuda.h"
#include "runtime/cuda/session/session.h"

#define SHIM "libcgpu-nvml.so"
#define STEM "libnvidia-ml.so"

struct nvml nvml = { .looked_for = PTHREAD_ONCE_INIT };

int nvml_load(const char *folder, struct error *err)
{
	char path[LIBCUDA_PATH_MAX];
	void *handle;

	snprintf(path, sizeof(path), "%s/" SHIM, folder);
	handle = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
	if (!handle)
		return error_set(err, ERROR_NOT_FOUND, "cannot load what stands before NVML: %s",
				 dlerror());
	nvml.shim = dlsym(handle, NVML_SHIM_SYMBOL);
	if (!nvml.shim || nvml.shim->version != NVML_SHIM_VERSION) {
		nvml.shim = NULL;
		return error_set(err, ERROR_PROTOCOL, "%s is of another version of cgpu", path);
	}
	return 0;
}

bool nvml_is_library(const char *path)
{
	const char *slash = strrchr(path, '/');

	return nvml.shim && !libcuda_thread.opens_nvml &&
	       !strncmp(slash ? slash + 1 : path, STEM, sizeof(STEM) - 1);
}

void *nvml_open(void)
{
	char path[LIBCUDA_PATH_MAX];
	void *handle;

	if (!libcuda_find_file(NVML_NAME, path))
		return NULL;
	libcuda_thread.opens_nvml = true;
	handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	libcuda_thread.opens_nvml = false;
	return handle;
}

static void look_for_library(void)
{
	nvml.library = device.driver->extension ? NULL : nvml_open();
	for (unsigned i = 0; nvml.library && i < NVML_COUNT; i++)
		nvml.real[i] = dlsym(nvml.library, nvml.shim->names[i]);
}

static int target_of(unsigned number, void **ret)
{
	void *answer = nvml_answer(number);

	if (nvml.library) {
		*ret = nvml_answer_always(number) ? answer : nvml.real[number];
		return nvml.real[number] ? NVML_SUCCESS : NVML_ERROR_FUNCTION_NOT_FOUND;
	}
	if (!device.count)
		return NVML_ERROR_DRIVER_NOT_LOADED;
	if (!nvml_answer_early(number))
		return NVML_ERROR_UNINITIALIZED;
	*ret = answer;
	return answer ? NVML_SUCCESS : NVML_ERROR_NOT_SUPPORTED;
}

static int enter(unsigned number, void **ret_target)
{
	int result;

	device.host->enter_library();
	pthread_once(&nvml.looked_for, look_for_library);
	result = target_of(number, ret_target);
	if (result)
		device.host->leave_library();
	return result;
}

static void leave(void)
{
	device.host->leave_library();
}

static const char *error_text(int result)
{
	switch (result) {
#define NVML_ERROR(value, text)                                                                    \
	case value:                                                                                \
		return text;
#include "runtime/cuda/libcuda/nvml.def"
	default:
		return "Unknown error";
	}
}

static const struct nvml_hooks hooks = { .enter = enter, .leave = leave, .error_text = error_text };

void nvml_attach(void)
{
	if (!nvml.shim)
		return;
	nvml_answers_begin();
	nvml.shim->hooks = &hooks;
}

void nvml_report(struct buffer *out)
{
	if (!nvml.shim || !device.session->nvml_inits)
		return;
	pthread_once(&nvml.looked_for, look_for_library);
	if (!nvml.library)
		return;
	device.session->nvml_inits = 0;
	buffer_puts(out, "what cells had begun in NVML: call nvmlInit() and "
			 "nvmlDeviceGetHandleByIndex() or its like again\n");
}
