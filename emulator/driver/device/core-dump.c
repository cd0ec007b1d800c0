/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The settings of core dumps of the device: whether one is made, and where it is put. A fault is
 * one of all contexts, so what is set for a context is set for the process. A dump never has memory
 * or registers, whatever the flags say.
 */
#include "emulator/driver/device/core-dump.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/error.h"
#include "common/base/log.h"
#include "emulator/driver/device/dump-writer.h"
#include "emulator/driver/device/gpu.h"
#include "emulator/report/gpu-fault.h"

#define TEXT_MAX 1024

static struct core_dump {
	pthread_mutex_t lock;
	bool on_exception;
	int flags;
	char file[TEXT_MAX], pipe[TEXT_MAX]; /* "": the name that the manual gives */
} settings = { .lock = PTHREAD_MUTEX_INITIALIZER };

static size_t size_of(CUcoredumpSettings attribute)
{
	switch (attribute) {
	case CU_COREDUMP_ENABLE_ON_EXCEPTION:
	case CU_COREDUMP_TRIGGER_HOST:
	case CU_COREDUMP_LIGHTWEIGHT:
	case CU_COREDUMP_ENABLE_USER_TRIGGER:
		return sizeof(bool);
	case CU_COREDUMP_FILE:
	case CU_COREDUMP_PIPE:
		return TEXT_MAX;
	case CU_COREDUMP_GENERATION_FLAGS:
		return sizeof(int);
	default:
		return 0;
	}
}

static void default_name(const char *kind, char ret[TEXT_MAX])
{
	char host[256] = "";

	gethostname(host, sizeof(host) - 1);
	snprintf(ret, TEXT_MAX, "%s.cuda.%s.%d", kind, host, (int)getpid());
}

static void read_text(const char *own, const char *kind, void *value, size_t size)
{
	char text[TEXT_MAX];

	if (*own)
		snprintf(text, sizeof(text), "%s", own);
	else
		default_name(kind, text);
	snprintf(value, size, "%s", text);
}

CUresult core_dump_get(CUcoredumpSettings attribute, void *value, size_t *size)
{
	size_t needed = size_of(attribute);

	if (!size || !needed)
		return CUDA_ERROR_INVALID_VALUE;
	if (!value) {
		*size = needed;
		return CUDA_SUCCESS;
	}
	if (needed == TEXT_MAX ? !*size : *size < needed)
		return CUDA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&settings.lock);
	switch (attribute) {
	case CU_COREDUMP_ENABLE_ON_EXCEPTION:
		*(bool *)value = settings.on_exception;
		break;
	case CU_COREDUMP_TRIGGER_HOST:
		*(bool *)value = !(settings.flags & CU_COREDUMP_SKIP_ABORT);
		break;
	case CU_COREDUMP_LIGHTWEIGHT:
		*(bool *)value = (settings.flags & CU_COREDUMP_LIGHTWEIGHT_FLAGS) ==
				 CU_COREDUMP_LIGHTWEIGHT_FLAGS;
		break;
	case CU_COREDUMP_FILE:
		read_text(settings.file, "core", value, *size);
		break;
	case CU_COREDUMP_PIPE:
		read_text(settings.pipe, "corepipe", value, *size);
		break;
	case CU_COREDUMP_GENERATION_FLAGS:
		*(int *)value = settings.flags;
		break;
	default: /* nobody can trigger one */
		*(bool *)value = false;
		break;
	}
	pthread_mutex_unlock(&settings.lock);
	return CUDA_SUCCESS;
}

static void set_flags(int flags, bool on)
{
	settings.flags = on ? settings.flags | flags : settings.flags & ~flags;
}

static CUresult set_text(char own[TEXT_MAX], const char *text, size_t size)
{
	size_t len = strnlen(text, size);

	if (len >= TEXT_MAX)
		return CUDA_ERROR_INVALID_VALUE;
	snprintf(own, TEXT_MAX, "%.*s", (int)len, text);
	return CUDA_SUCCESS;
}

CUresult core_dump_set(CUcoredumpSettings attribute, void *value, size_t *size)
{
	size_t needed = size_of(attribute);
	CUresult result = CUDA_SUCCESS;

	if (!size || !needed)
		return CUDA_ERROR_INVALID_VALUE;
	if (!value) {
		*size = needed;
		return CUDA_SUCCESS;
	}
	if (needed != TEXT_MAX && *size < needed)
		return CUDA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&settings.lock);
	switch (attribute) {
	case CU_COREDUMP_ENABLE_ON_EXCEPTION:
		settings.on_exception = *(const bool *)value;
		break;
	case CU_COREDUMP_TRIGGER_HOST:
		set_flags(CU_COREDUMP_SKIP_ABORT, !*(const bool *)value);
		break;
	case CU_COREDUMP_LIGHTWEIGHT:
		set_flags(CU_COREDUMP_LIGHTWEIGHT_FLAGS, *(const bool *)value);
		break;
	case CU_COREDUMP_FILE:
		result = set_text(settings.file, value, *size);
		break;
	case CU_COREDUMP_PIPE:
		result = set_text(settings.pipe, value, *size);
		break;
	case CU_COREDUMP_GENERATION_FLAGS:
		settings.flags = *(const int *)value;
		break;
	default:
		result = *(const bool *)value ? CUDA_ERROR_NOT_SUPPORTED : CUDA_SUCCESS;
		break;
	}
	pthread_mutex_unlock(&settings.lock);
	return result;
}

void core_dump_write(const struct gpu_fault *f, const struct machine_launch *l)
{
	struct error err = ERROR_INIT;
	char path[TEXT_MAX];

	if (!settings.on_exception || !gpu_fault_exception(f->kind))
		return;
	pthread_mutex_lock(&settings.lock);
	read_text(settings.file, "core", path, sizeof(path));
	pthread_mutex_unlock(&settings.lock);
	if (dump_write(path, settings.flags, f, l, &err))
		log_warning("core dump of the device: %s", err.text);
}

void core_dump_abort(const struct gpu_fault *f)
{
	if (settings.on_exception && gpu_fault_exception(f->kind) &&
	    !(settings.flags & CU_COREDUMP_SKIP_ABORT))
		abort();
}
