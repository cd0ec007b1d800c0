/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Driver API: the linker. What it makes is PTX again, which is what the emulated device loads; to a
 * caller that is an image like any other. Machine code, and what needs the compilers of NVIDIA's
 * driver, is refused with a line in its log. So are libraries but for libcudadevrt.a, whose
 * functions the device has itself: it is taken, and nothing of it is looked at.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/cuda/fat-binary.h"
#include "common/cuda/ptx-link.h"
#include "emulator/driver/module/cu-module.h"
#include "emulator/driver/module/fat-binary-text.h"
#include "emulator/ptx/ptx-syscall.h"

struct CUlinkState_st {
	struct ptx_link link;
	struct buffer image; /* of cuLinkComplete(), which borrows it to the caller */
	bool has_device_runtime;
	unsigned n;
	CUjit_option *options;
	void **values;
};

static void release(CUlinkState s)
{
	ptx_link_release(&s->link);
	buffer_release(&s->image);
	free(s->options);
	free(s->values);
	free(s);
}

CUresult cuLinkCreate(unsigned int n, CUjit_option *options, void **values, CUlinkState *ret)
{
	CUresult result = gpu_enter("cuLinkCreate", GPU_CALL_ASYNC);
	CUlinkState s;

	if (result)
		return result;
	if (!ret || (n && (!options || !values)))
		return CUDA_ERROR_INVALID_VALUE;
	s = calloc(1, sizeof(*s));
	if (!s)
		return CUDA_ERROR_OUT_OF_MEMORY;
	ptx_link_init(&s->link);
	s->options = calloc(n + 1, sizeof(*s->options));
	s->values = calloc(n + 1, sizeof(*s->values));
	if (!s->options || !s->values) {
		release(s);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	for (s->n = 0; s->n < n; s->n++) {
		s->options[s->n] = options[s->n];
		s->values[s->n] = values[s->n];
	}
	*ret = s;
	return CUDA_SUCCESS;
}

/* The message is in the caller's log, and `otherwise` the result unless memory was out. */
static CUresult failed(CUlinkState s, const struct error *err, CUresult otherwise)
{
	cu_module_log(err, s->n, s->options, s->values);
	return err->code == ERROR_MEMORY ? CUDA_ERROR_OUT_OF_MEMORY : otherwise;
}

static bool is_device_runtime(CUjitInputType type, const char *path)
{
	const char *slash = strrchr(path, '/');

	return type == CU_JIT_INPUT_LIBRARY && !strcmp(slash ? slash + 1 : path, "libcudadevrt.a");
}

static CUresult add(CUlinkState s, CUjitInputType type, const char *data, size_t size,
		    const char *name)
{
	cleanup_buffer struct buffer unpacked = BUFFER_INIT;
	struct error err = ERROR_INIT;

	if (is_device_runtime(type, name)) {
		s->has_device_runtime = true;
		return CUDA_SUCCESS;
	}
	if (type == CU_JIT_INPUT_FATBINARY) {
		if (!fat_binary_is_whole(data, size))
			return CUDA_ERROR_INVALID_IMAGE;
		if (fat_binary_text(data, (unsigned)gpu.capability, &unpacked, &err))
			return failed(s, &err,
				      err.code == ERROR_NOT_FOUND ? CUDA_ERROR_NO_BINARY_FOR_GPU
								  : CUDA_ERROR_INVALID_IMAGE);
		data = buffer_text(&unpacked);
		size = unpacked.len;
	} else if (type == CU_JIT_INPUT_CUBIN && size && !cu_module_is_text(data)) {
		error_set(&err, ERROR_UNSUPPORTED,
			  "%s is machine code of a GPU; the emulated device links PTX only", name);
		return failed(s, &err, CUDA_ERROR_NO_BINARY_FOR_GPU);
	} else if (type != CU_JIT_INPUT_PTX && type != CU_JIT_INPUT_CUBIN) {
		error_set(&err, ERROR_UNSUPPORTED,
			  "%s: the emulated device links PTX, fat binaries and libcudadevrt.a, no "
			  "other kinds of input",
			  name);
		return failed(s, &err, CUDA_ERROR_NOT_SUPPORTED);
	}
	if (ptx_link_add(&s->link, name, data, size, &err))
		return failed(s, &err, CUDA_ERROR_INVALID_PTX);
	return CUDA_SUCCESS;
}

CUresult cuLinkAddData(CUlinkState s, CUjitInputType type, void *data, size_t size,
		       const char *name, unsigned int n, CUjit_option *options, void **values)
{
	CUresult result = gpu_enter("cuLinkAddData", GPU_CALL_ASYNC);

	(void)n, (void)options, (void)values;
	if (result)
		return result;
	if (!s)
		return CUDA_ERROR_INVALID_HANDLE;
	return data ? add(s, type, data, size, name ? name : "input") : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuLinkAddFile(CUlinkState s, CUjitInputType type, const char *path, unsigned int n,
		       CUjit_option *options, void **values)
{
	CUresult result = gpu_enter("cuLinkAddFile", GPU_CALL_ASYNC);
	cleanup_buffer struct buffer data = BUFFER_INIT;

	(void)n, (void)options, (void)values;
	if (result)
		return result;
	if (!s)
		return CUDA_ERROR_INVALID_HANDLE;
	if (!path)
		return CUDA_ERROR_INVALID_VALUE;
	/* It is taken for what it is called: there is nothing in it to read. */
	if (is_device_runtime(type, path))
		result = access(path, R_OK) ? CUDA_ERROR_FILE_NOT_FOUND : CUDA_SUCCESS;
	else
		result = cu_module_read_file(path, &data);
	return result ? result : add(s, type, buffer_text(&data), data.len, path);
}

/* A function of it that the device does not have is a fault when it is called, not an error here:
 * programs may never come there. */
static bool known_with_device_runtime(const char *name)
{
	return ptx_syscall_known(name) || ptx_link_is_device_runtime(name);
}

CUresult cuLinkComplete(CUlinkState s, void **ret, size_t *ret_size)
{
	CUresult result = gpu_enter("cuLinkComplete", GPU_CALL_ASYNC);
	struct error err = ERROR_INIT;

	if (result)
		return result;
	if (!s)
		return CUDA_ERROR_INVALID_HANDLE;
	if (!ret)
		return CUDA_ERROR_INVALID_VALUE;
	buffer_clear(&s->image);
	if (ptx_link_end(&s->link,
			 s->has_device_runtime ? known_with_device_runtime : ptx_syscall_known,
			 &s->image, &err))
		return failed(s, &err, CUDA_ERROR_INVALID_IMAGE);
	*ret = s->image.data;
	if (ret_size)
		*ret_size = s->image.len + 1;
	return CUDA_SUCCESS;
}

CUresult cuLinkDestroy(CUlinkState s)
{
	CUresult result = gpu_enter("cuLinkDestroy", GPU_CALL_FREE);

	if (result)
		return result;
	if (!s)
		return CUDA_ERROR_INVALID_HANDLE;
	release(s);
	return CUDA_SUCCESS;
}
