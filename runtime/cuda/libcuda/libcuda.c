/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kinds of libcuda.def:
 *
 *	COUNTED  a function of one of the files libcuda-*.c stands in its place
 *	WRITES   device memory may be written: what the session has there is saved first
 *	LAUNCHES the same by device code, and a function of libcuda-launch.c saves what its
 *	         arguments point to
 *	ASKS     about an address, which may be one of host memory that is registered
 *	WAITS    it may wait for the device
 *	OLD, FOREIGN, RESET  it is refused, and the log says why
 *	OTHER, FLOATS  passed on
 *
 * What a driver has under a name of its own only, or in tables without names, is not seen here; the
 * audit of device-audit.c finds what was taken there.
 */
#define _GNU_SOURCE
#include "runtime/cuda/libcuda/libcuda.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/error.h"
#include "common/base/log.h"
#include "runtime/cuda/driver/device-state.h"
#include "runtime/cuda/libcuda/libcuda-real.h"
#include "runtime/cuda/rollback/preimage.h"
#include "runtime/cuda/session/device-wait.h"
#include "runtime/cuda/session/pinning.h"
#include "runtime/cuda/session/session.h"

#define SHIM "libcgpu-shim.so"
#define ALIAS "libcgpu-shim-link.so"

enum kind { COUNTED, WRITES, LAUNCHES, ASKS, WAITS, OLD, FOREIGN, RESET, OTHER, FLOATS };

static const uint8_t kinds[] = {
#define LIBCUDA(name, kind, words, handles) kind,
#include "runtime/cuda/libcuda/libcuda.def"
#undef LIBCUDA
};

_Thread_local struct libcuda_thread libcuda_thread;

/* Said once of each kind. */
static int refuse_with(atomic_flag *told, const char *why)
{
	if (!atomic_flag_test_and_set(told))
		log_warning("a function of the CUDA driver is refused: %s", why);
	return CUDA_ERROR_NOT_SUPPORTED;
}

static int refuse_old(void)
{
	return refuse_with(&libcuda.told_old, "it is of a version whose addresses have 32 bits");
}

static int refuse_foreign(void)
{
	return refuse_with(&libcuda.told_foreign,
			   "it brings memory of other processes or libraries, which cannot "
			   "be counted against the cap");
}

static int refuse_reset(void)
{
	return refuse_with(&libcuda.told_reset,
			   "it would take away the context that has the session's memory; "
			   "cudaDeviceReset() does not");
}

/* The driver is of the process that has initialised it: a child that cells have forked has none. */
static CUresult check(void)
{
	if (getpid() != libcuda.owner)
		return CUDA_ERROR_NOT_INITIALIZED;
	return device.usable ? CUDA_SUCCESS : CUDA_ERROR_NO_DEVICE;
}

static bool may_write(unsigned number)
{
	return kinds[number] == WRITES || kinds[number] == LAUNCHES;
}

static bool waits(unsigned number)
{
	return kinds[number] == WAITS ||
	       (may_write(number) && (device_in_cell_thread() || device.driver->extension));
}

static int enter(unsigned number)
{
	CUresult result = check();

	if (result)
		return (int)result;
	device.host->enter_library();
	if (may_write(number) || kinds[number] == ASKS)
		result = libcuda_renew_pinning();
	if (!result && kinds[number] == WRITES)
		result = libcuda_save(NULL, NULL);
	if (result)
		device.host->leave_library();
	else if (waits(number))
		device_wait_begin();
	return (int)result;
}

static void leave(unsigned number)
{
	if (waits(number))
		device_wait_end();
	/* It may have made another context current. */
	device_context_changed();
	device.host->leave_library();
}

static const struct libcuda_hooks hooks = {
	.enter = enter,
	.leave = leave,
	.stream = libcuda_stream_argument,
	.event = libcuda_event_argument,
	.config = libcuda_config_argument,
};

int libcuda_load(const char *folder, struct error *err)
{
	static const char *const names[] = { SHIM, ALIAS };
	char path[LIBCUDA_PATH_MAX];
	void *handle = NULL, *first = NULL;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		handle = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
		if (!handle)
			return error_set(err, ERROR_NOT_FOUND,
					 "cannot load what stands before the CUDA driver: %s",
					 dlerror());
		if (!first)
			first = handle;
	}
	libcuda.shim = dlsym(first, LIBCUDA_SHIM_SYMBOL);
	if (!libcuda.shim || libcuda.shim->version != LIBCUDA_SHIM_VERSION)
		return error_set(err, ERROR_PROTOCOL, "%s/%s is of another version of cgpu", folder,
				 SHIM);
	return 0;
}

bool libcuda_is_loaded(void)
{
	return libcuda.shim;
}

bool libcuda_is_driver(const char *path)
{
	const char *slash = strrchr(path, '/');
	struct stat a, b;

	if (libcuda_thread.opens_driver)
		return false;
	if (!strncmp(slash ? slash + 1 : path, "libcuda.so", 10))
		return true;
	return slash && libcuda.owner && !stat(path, &a) && !stat(device.driver->library, &b) &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static void put_guards(const struct libcuda_guard *g)
{
	for (; g->function; g++)
		if (libcuda.shim->targets[g->number])
			libcuda.shim->targets[g->number] = g->function;
}

static void *target_of(unsigned number)
{
	switch (kinds[number]) {
	case OLD:
		return (void *)refuse_old;
	case FOREIGN:
		return (void *)refuse_foreign;
	case RESET:
		return (void *)refuse_reset;
	default:
		return libcuda.real[number];
	}
}

/* Our function for one of the driver's, as programs call it; NULL: the driver's has no name. */
static void *function_of(const void *real)
{
	for (unsigned i = 0; i < LIBCUDA_COUNT; i++)
		if (libcuda.real[i] == real)
			return libcuda.shim->functions[i];
	return NULL;
}

/* The newest version of a name that is not merely passed on; NULL: there is none. */
static void *function_named(const char *name)
{
	static const char *const versions[] = { "_v4", "_v3", "_v2", "" };
	char symbol[96];

	for (size_t v = 0; v < sizeof(versions) / sizeof(versions[0]); v++) {
		snprintf(symbol, sizeof(symbol), "%s%s", name, versions[v]);
		for (unsigned i = 0; i < LIBCUDA_COUNT; i++)
			if (kinds[i] != OTHER && !strcmp(libcuda.shim->names[i], symbol))
				return libcuda.shim->functions[i];
	}
	return NULL;
}

/* A program that asks for the address of a function gets ours. */
static void exchange(const char *name, void **ret)
{
	void *function = *ret ? function_of(*ret) : NULL;

	if (*ret && !function)
		function = function_named(name);
	if (function)
		*ret = function;
}

/* cuGetProcAddress() of the driver as it has been since CUDA 12, in one of its versions; ours come
 * in place of what it finds. */
static CUresult address_by(void *real, const char *name, void **ret, int version, cuuint64_t flags,
			   CUdriverProcAddressQueryResult *ret_status)
{
	CUresult result =
		real ? ((__typeof__(cuGetProcAddress) *)real)(name, ret, version, flags, ret_status)
		     : CUDA_ERROR_NOT_SUPPORTED;

	if (!result && libcuda.shim && name && ret)
		exchange(name, ret);
	return result;
}

CUresult libcuda_proc_address(const char *name, void **ret, int version, cuuint64_t flags,
			      CUdriverProcAddressQueryResult *ret_status)
{
	return address_by(dlsym(device.driver->handle, "cuGetProcAddress_v2"), name, ret, version,
			  flags, ret_status);
}

static CUresult get_address(const char *name, void **ret, int version, cuuint64_t flags)
{
	CUresult (*real)(const char *, void **, int, cuuint64_t) =
		libcuda.real[LIBCUDA_cuGetProcAddress];
	CUresult result = real(name, ret, version, flags);

	if (!result && name && ret)
		exchange(name, ret);
	return result;
}

static CUresult get_address_v2(const char *name, void **ret, int version, cuuint64_t flags,
			       CUdriverProcAddressQueryResult *ret_status)
{
	return address_by(libcuda.real[LIBCUDA_cuGetProcAddress_v2], name, ret, version, flags,
			  ret_status);
}

static CUresult get_address_v2_ptsz(const char *name, void **ret, int version, cuuint64_t flags,
				    CUdriverProcAddressQueryResult *ret_status)
{
	return address_by(libcuda.real[LIBCUDA_cuGetProcAddress_v2_ptsz], name, ret, version, flags,
			  ret_status);
}

static const struct libcuda_guard address_guards[] = {
	LIBCUDA_GUARD(cuGetProcAddress, get_address),
	LIBCUDA_GUARD(cuGetProcAddress_v2, get_address_v2),
	LIBCUDA_GUARD(cuGetProcAddress_v2_ptsz, get_address_v2_ptsz),
	{ 0, NULL },
};

void libcuda_attach(void *handle)
{
	if (!libcuda.shim)
		return;
	for (unsigned i = 0; i < LIBCUDA_COUNT; i++) {
		libcuda.real[i] = dlsym(handle, libcuda.shim->names[i]);
		libcuda.shim->targets[i] = libcuda.real[i] ? target_of(i) : NULL;
	}
	put_guards(address_guards);
	put_guards(libcuda_memory_guards);
	put_guards(libcuda_vmm_guards);
	put_guards(libcuda_graph_guards);
	put_guards(libcuda_handle_guards);
	put_guards(libcuda_launch_guards);
	libcuda.owner = getpid();
	libcuda.shim->hooks = &hooks;
}
