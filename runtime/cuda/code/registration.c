/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Between __cudaRegisterFatBinary() and its End the constructor tells the names; then all is known
 * that a unit of device code needs, and it is loaded as that of a C cell is. Registering happens
 * while the cell runs, so it rolls back with it.
 */
#include "runtime/cuda/code/registration.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/code/unit.h"
#include "common/cuda/fat-binary.h"
#include "common/cuda/ptx-link.h"
#include "runtime/cuda/code/device-code.h"
#include "runtime/cuda/reports/call-errors.h"
#include "runtime/cuda/session/source-text.h"

static _Thread_local struct {
	void *wrapper; /* NULL: nothing is being registered */
	struct device_code_name *names;
	struct unit_kernel *kernels;
	uint32_t n, cap, n_kernels;
	bool failed; /* out of memory */
} at_work;

static void forget(void)
{
	free(at_work.names);
	free(at_work.kernels);
	memset(&at_work, 0, sizeof(at_work));
}

static bool make_room(void)
{
	uint32_t cap = at_work.cap ? 2 * at_work.cap : 16;
	struct device_code_name *names;
	struct unit_kernel *kernels;

	if (at_work.n < at_work.cap)
		return true;
	names = realloc(at_work.names, cap * sizeof(*names));
	if (names)
		at_work.names = names;
	kernels = realloc(at_work.kernels, cap * sizeof(*kernels));
	if (kernels)
		at_work.kernels = kernels;
	if (names && kernels)
		at_work.cap = cap;
	else
		at_work.failed = true;
	return names && kernels;
}

/* malloc() here is libc's, since what is noted is none of the session's. */
static void add_name(const char *name, void *address, bool is_kernel, bool is_pointer)
{
	device.host->enter_library();
	if (at_work.wrapper && make_room()) {
		at_work.names[at_work.n++] = (struct device_code_name){ name, address, is_pointer };
		if (is_kernel)
			at_work.kernels[at_work.n_kernels++] =
				(struct unit_kernel){ .name = name, .ptx_name = name };
	}
	device.host->leave_library();
}

void **__cudaRegisterFatBinary(void *wrapper)
{
	device.host->enter_library();
	forget();
	at_work.wrapper = wrapper;
	device.host->leave_library();
	return wrapper;
}

void __cudaRegisterFunction(void **handle, const char *stub, char *function, const char *name,
			    int thread_limit, uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid,
			    int *warp_size)
{
	(void)handle, (void)function, (void)thread_limit, (void)tid, (void)bid, (void)block,
		(void)grid, (void)warp_size;
	add_name(name, (void *)stub, true, false);
}

void __cudaRegisterVar(void **handle, char *stand_in, char *address, const char *name,
		       int is_extern, size_t size, int constant, int global)
{
	(void)handle, (void)address, (void)is_extern, (void)size, (void)constant, (void)global;
	add_name(name, stand_in, false, false);
}

void __cudaRegisterManagedVar(void **handle, void **pointer, char *address, const char *name,
			      int is_extern, size_t size, int constant, int global)
{
	(void)handle, (void)address, (void)is_extern, (void)size, (void)constant, (void)global;
	add_name(name, pointer, false, true);
}

/*
 * Plain PTX, for which nvcc is asked: a library that unpacks would stand in the way of one that
 * cells bring. The emulated driver has one of its own, for programs that were built elsewhere; what
 * it unpacks is *ret_memory.
 */
static int find_ptx(const void *image, unsigned sm, struct fat_binary_ptx *ret, char **ret_memory,
		    struct error *err)
{
	struct error why = ERROR_INIT;

	if (!fat_binary_find_ptx(image, sm, 0, ret, &why))
		return 0;
	if (why.code != ERROR_NOT_FOUND)
		return error_set(err, why.code, "%s", why.text);
	if (device.driver->extension)
		*ret_memory = device.driver->extension->unpack(image, &ret->len);
	ret->payload = *ret_memory;
	if (ret->payload)
		return 0;
	return error_set(
		err, ERROR_UNSUPPORTED,
		"it has no PTX for compute capability %u.%u or less that is not compressed: "
		"compile with nvcc -gencode arch=compute_%u,code=compute_%u --no-compress",
		sm / 10, sm % 10, sm, sm);
}

static int link_parts(const void *const *parts, unsigned sm, struct buffer *ret, struct error *err)
{
	struct ptx_link link;
	int failed = 0;

	ptx_link_init(&link);
	for (int i = 0; parts[i] && !failed; i++) {
		cleanup_free char *unpacked = NULL;
		struct fat_binary_ptx p;
		char name[32];

		snprintf(name, sizeof(name), "file %d", i + 1);
		failed = find_ptx(parts[i], sm, &p, &unpacked, err) ||
			 ptx_link_add(&link, name, p.payload, p.len, err);
	}
	if (!failed)
		failed = ptx_link_end(&link, NULL, ret, err);
	ptx_link_release(&link);
	return failed;
}

int registration_ptx(const void *image, struct buffer *ret, struct error *err)
{
	const void *const *parts = fat_binary_parts(image);
	cleanup_free char *unpacked = NULL;
	struct fat_binary_ptx p;
	int major, minor;
	unsigned sm;

	if (device.driver->cuDeviceGetAttribute(
		    &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device_current()) ||
	    device.driver->cuDeviceGetAttribute(
		    &minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device_current()))
		return error_set(err, ERROR_SYSTEM,
				 "the device does not tell its compute capability");
	sm = (unsigned)(10 * major + minor);
	if (parts)
		return link_parts(parts, sm, ret, err);
	if (find_ptx(image, sm, &p, &unpacked, err))
		return -1;
	buffer_append(ret, p.payload, p.len);
	return buffer_check(ret, err);
}

static int load(struct error *err)
{
	struct device_code_names names = { at_work.names, at_work.n };
	struct unit u = { .cell = device.cell,
			  .kernels = at_work.kernels,
			  .n_kernels = at_work.n_kernels };
	cleanup_buffer struct buffer ptx = BUFFER_INIT;
	int failed;

	if (at_work.failed)
		return error_set(err, ERROR_MEMORY, "out of memory");
	if (!device.usable || !device.session)
		return error_set(err, ERROR_UNSUPPORTED, "%s", device.info.problem);
	if (registration_ptx(at_work.wrapper, &ptx, err))
		return -1;
	u.ptx = buffer_text(&ptx);
	u.ptx_len = ptx.len;
	device_lock();
	source_text_keep();
	failed = device_enter() ? error_set(err, ERROR_SYSTEM, "the CUDA context is gone")
				: device_code_load_registered(&u, &names, err);
	device_unlock();
	return failed;
}

/* A program that cannot have its device code still runs, and its launches fail, as everywhere; but
 * the reason is told. */
void __cudaRegisterFatBinaryEnd(void **handle)
{
	struct error err = ERROR_INIT;
	bool failed = false;

	(void)handle;
	device.host->enter_library();
	if (at_work.wrapper && load(&err)) {
		failed = true;
		device_print(true, "Device code was not loaded: ",
			     strlen("Device code was not loaded: "));
		device_print(true, err.text, strlen(err.text));
		device_print(true, "\n", 1);
	}
	forget();
	device.host->leave_library();
	if (failed)
		call_errors_record("loading device code", cudaErrorInvalidKernelImage, 0);
}

/* At the end of the session, which takes all device code with it. */
void __cudaUnregisterFatBinary(void **handle)
{
	(void)handle;
}

/* Managed variables have their places since they were registered. */
char __cudaInitModule(void **handle)
{
	(void)handle;
	return 1;
}

cudaError_t __cudaGetKernel(cudaKernel_t *ret, const void *stub)
{
	*ret = (cudaKernel_t)(void *)stub;
	return cudaSuccess;
}
