/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Driver API: modules from PTX text, plain or in a fat binary. Module variables become device
 * memory of their own, named in reports by their symbol. A cubin, and a fat binary that holds no
 * PTX, is error 209.
 */
#include "emulator/driver/module/cu-module.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/cuda/fat-binary.h"
#include "emulator/driver/device/context.h"
#include "emulator/driver/device/handle-memory.h"
#include "emulator/driver/device/memory.h"
#include "emulator/driver/module/fat-binary-text.h"
#include "emulator/launch/machine-launch.h"
#include "emulator/ptx/machine-limits.h"

#define MODULE_MAGIC 0x4d4f4455ull

static struct module_table {
	pthread_mutex_t lock; /* of the functions and twins of all modules */
	struct handle_memory modules, functions;
} table = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.modules = HANDLE_MEMORY(struct CUmod_st),
	.functions = HANDLE_MEMORY(struct CUfunc_st),
};

bool cu_function_valid(CUfunction f)
{
	return f && f->module && f->module->magic == MODULE_MAGIC;
}

bool cu_module_valid(CUmodule m)
{
	return m && m->magic == MODULE_MAGIC;
}

static int place(void *data, const struct ptx_variable *v, uint64_t *ret_address, void **ret_bytes,
		 struct error *err)
{
	const struct CUmod_st *m = data;
	uint64_t address;

	if (memory_alloc(m->device, v->size ? v->size : 1,
			 v->managed ? MAPPING_PINNED : MAPPING_ALLOC, v->name, &address))
		return error_set(err, ERROR_MEMORY, "no device memory for `%s` (%llu bytes)",
				 v->name, (unsigned long long)v->size);
	*ret_address = address;
	*ret_bytes = memory_bytes(address, v->size ? v->size : 1, true);
	return 0;
}

static void release(CUmodule m)
{
	if (!m)
		return;
	for (size_t i = 0; m->ptx && i < ptx_module_variable_count(m->ptx); i++) {
		const struct ptx_variable *v = ptx_module_variable_at(m->ptx, i);

		if (v->address && !v->is_extern &&
		    (v->space == PTX_SPACE_GLOBAL || v->space == PTX_SPACE_CONST))
			memory_free(v->address, v->managed ? MAPPING_PINNED : MAPPING_ALLOC);
	}
	for (CUfunction f = m->functions, next; f; f = next) {
		next = f->next;
		f->module = NULL;
		free(f->older.params);
		handle_memory_give(&table.functions, f);
	}
	if (m->ptx)
		ptx_module_free(m->ptx);
	for (int i = 0; i < GPU_DEVICES_MAX; i++)
		release(m->twins[i]);
	free(m->text);
	handle_memory_give(&table.modules, m);
}

static CUresult code_of(const struct error *err)
{
	switch (err->code) {
	case ERROR_MEMORY:
		return CUDA_ERROR_OUT_OF_MEMORY;
	case ERROR_NOT_FOUND:
		return CUDA_ERROR_NOT_FOUND;
	case ERROR_UNSUPPORTED:
		return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
	default:
		return CUDA_ERROR_INVALID_PTX;
	}
}

static CUresult load(const char *text, size_t len, CUmodule *ret, struct error *err)
{
	CUmodule m = handle_memory_take(&table.modules);
	struct ptx_placer placer = { .data = m, .place = place };

	if (m && gpu.devices > 1 && !(m->text = strndup(text, len))) {
		handle_memory_give(&table.modules, m);
		m = NULL;
	}
	if (!m) {
		error_set(err, ERROR_MEMORY, "out of memory");
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	m->magic = MODULE_MAGIC;
	m->device = context_device();
	m->ptx = ptx_module_load(text, len, &machine_ptx, err);
	if (!m->ptx || ptx_module_place(m->ptx, &placer, err)) {
		release(m);
		return code_of(err);
	}
	*ret = m;
	return CUDA_SUCCESS;
}

bool cu_module_is_text(const char *image)
{
	return *image == '\n' || *image == '\r' || *image == '\t' ||
	       (*image >= ' ' && *image < 0x7f);
}

void cu_module_log(const struct error *err, unsigned n, CUjit_option *options, void **values)
{
	char *buffer = NULL;
	size_t size = 0;

	for (unsigned i = 0; i < n; i++) {
		if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
			buffer = values[i];
		else if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
			size = (size_t)(uintptr_t)values[i];
	}
	if (buffer && size)
		snprintf(buffer, size, "%s", err->text);
}

static CUresult load_fat_binary(const void *image, CUmodule *ret, struct error *err)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;

	if (!fat_binary_text(image, (unsigned)gpu.capability, &text, err))
		return load(buffer_text(&text), strlen(buffer_text(&text)), ret, err);
	log_warning("module: %s", err->text);
	return err->code == ERROR_NOT_FOUND ? CUDA_ERROR_NO_BINARY_FOR_GPU
					    : CUDA_ERROR_INVALID_IMAGE;
}

static CUresult refuse_machine_code(struct error *err)
{
	error_set(err, ERROR_NOT_FOUND,
		  "the image is machine code of a GPU; the emulated device runs PTX: compile or "
		  "link to PTX instead of a cubin");
	log_warning("module: %s", err->text);
	return CUDA_ERROR_NO_BINARY_FOR_GPU;
}

CUresult cu_module_load(CUmodule *ret, const void *image, unsigned n, CUjit_option *options,
			void **values)
{
	struct error err = ERROR_INIT;
	CUresult result;

	if (fat_binary_is(image))
		result = load_fat_binary(image, ret, &err);
	else if (cu_module_is_text(image))
		result = load(image, strlen(image), ret, &err);
	else if (!memcmp(image, "\177ELF", 4))
		result = refuse_machine_code(&err);
	else
		return CUDA_ERROR_INVALID_IMAGE;
	if (result)
		cu_module_log(&err, n, options, values);
	return result;
}

CUresult cu_module_read_file(const char *path, struct buffer *ret)
{
	cleanup_file FILE *f = path ? fopen(path, "re") : NULL;
	char block[4096];
	size_t len;

	if (!f)
		return CUDA_ERROR_FILE_NOT_FOUND;
	while ((len = fread(block, 1, sizeof(block), f)))
		buffer_append(ret, block, len);
	return ret->failed ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

CUresult cu_module_load_file(CUmodule *ret, const char *path, unsigned n, CUjit_option *options,
			     void **values)
{
	cleanup_buffer struct buffer image = BUFFER_INIT;
	CUresult result = cu_module_read_file(path, &image);

	if (result)
		return result;
	if (fat_binary_is(buffer_text(&image)) &&
	    !fat_binary_is_whole(buffer_text(&image), image.len))
		return CUDA_ERROR_INVALID_IMAGE;
	return cu_module_load(ret, buffer_text(&image), n, options, values);
}

CUresult cuModuleLoadDataEx(CUmodule *ret, const void *image, unsigned int n, CUjit_option *options,
			    void **values)
{
	CUresult result = gpu_enter("cuModuleLoadData", GPU_CALL_QUERY);

	if (result)
		return result;
	return ret && image ? cu_module_load(ret, image, n, options, values)
			    : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuModuleLoadData(CUmodule *ret, const void *image)
{
	return cuModuleLoadDataEx(ret, image, 0, NULL, NULL);
}

CUresult cuModuleLoadFatBinary(CUmodule *ret, const void *image)
{
	return cuModuleLoadDataEx(ret, image, 0, NULL, NULL);
}

CUresult cuModuleLoad(CUmodule *ret, const char *path)
{
	CUresult result = gpu_enter("cuModuleLoadData", GPU_CALL_QUERY);

	if (result)
		return result;
	return ret ? cu_module_load_file(ret, path, 0, NULL, NULL) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuModuleUnload(CUmodule m)
{
	CUresult result = gpu_enter("cuModuleUnload", GPU_CALL_SYNC);

	if (result)
		return result;
	if (!cu_module_valid(m))
		return CUDA_ERROR_INVALID_HANDLE;
	pthread_mutex_lock(&table.lock);
	release(m);
	pthread_mutex_unlock(&table.lock);
	return CUDA_SUCCESS;
}

static CUfunction function_of(CUmodule m, struct ptx_function *ptx)
{
	CUfunction f;

	pthread_mutex_lock(&table.lock);
	for (f = m->functions; f && f->ptx != ptx; f = f->next)
		;
	if (!f && (f = handle_memory_take(&table.functions))) {
		*f = (struct CUfunc_st){ .next = m->functions,
					 .ptx = ptx,
					 .module = m,
					 .carveout = -1,
					 .max_dynamic_shared = MACHINE_MAX_SHARED_STATIC -
							       (int)ptx->static_shared };
		m->functions = f;
	}
	pthread_mutex_unlock(&table.lock);
	return f;
}

CUmodule cu_module_here(CUmodule m)
{
	int device = context_device();
	struct error err = ERROR_INIT;
	CUmodule *twin;

	if (!cu_module_valid(m) || m->device == device)
		return cu_module_valid(m) ? m : NULL;
	if (!m->library || !m->text)
		return NULL;
	pthread_mutex_lock(&table.lock);
	twin = &m->twins[device];
	if (!*twin && load(m->text, strlen(m->text), twin, &err))
		log_warning("module: %s", err.text);
	pthread_mutex_unlock(&table.lock);
	return *twin;
}

CUfunction cu_function_here(CUfunction f)
{
	CUmodule m = cu_function_valid(f) ? cu_module_here(f->module) : NULL;
	CUfunction here;

	if (!m || m == f->module)
		return m ? f : NULL;
	here = function_of(m, ptx_module_function(m->ptx, f->ptx->name));
	if (here) {
		here->max_dynamic_shared = f->max_dynamic_shared;
		here->carveout = f->carveout;
	}
	return here;
}

CUresult cu_module_function(CUfunction *ret, CUmodule m, const char *name)
{
	struct ptx_function *ptx;

	if (!ret || !name)
		return CUDA_ERROR_INVALID_VALUE;
	if (!cu_module_valid(m))
		return CUDA_ERROR_INVALID_HANDLE;
	ptx = ptx_module_function(m->ptx, name);
	if (!ptx || !ptx->is_kernel)
		return CUDA_ERROR_NOT_FOUND;
	*ret = function_of(m, ptx);
	return *ret ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cu_module_functions(CUfunction *ret, unsigned n, unsigned *ret_count, CUmodule m)
{
	unsigned count = 0;

	if (!cu_module_valid(m))
		return CUDA_ERROR_INVALID_HANDLE;
	for (size_t i = 0; i < ptx_module_function_count(m->ptx); i++) {
		struct ptx_function *ptx = ptx_module_function_at(m->ptx, i);

		if (!ptx->is_kernel)
			continue;
		if (count < n && !(ret[count] = function_of(m, ptx)))
			return CUDA_ERROR_OUT_OF_MEMORY;
		count++;
	}
	if (ret_count)
		*ret_count = count;
	return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *ret, CUmodule m, const char *name)
{
	CUresult result = gpu_enter("cuModuleGetFunction", GPU_CALL_ASYNC);

	return result ? result : cu_module_function(ret, m, name);
}

CUresult cuModuleGetFunctionCount(unsigned int *ret, CUmodule m)
{
	CUresult result = gpu_enter("cuModuleGetFunctionCount", GPU_CALL_ASYNC);

	if (result)
		return result;
	return ret ? cu_module_functions(NULL, 0, ret, m) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuModuleEnumerateFunctions(CUfunction *ret, unsigned int n, CUmodule m)
{
	CUresult result = gpu_enter("cuModuleEnumerateFunctions", GPU_CALL_ASYNC);

	if (result)
		return result;
	return ret ? cu_module_functions(ret, n, NULL, m) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuModuleGetGlobal(CUdeviceptr *ret, size_t *ret_size, CUmodule m, const char *name)
{
	CUresult result = gpu_enter("cuModuleGetGlobal", GPU_CALL_ASYNC);
	const struct ptx_variable *v;

	if (result)
		return result;
	if (!name || !cu_module_valid(m))
		return name ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
	v = ptx_module_variable(m->ptx, name);
	if (!v || !v->address || v->space == PTX_SPACE_SHARED)
		return CUDA_ERROR_NOT_FOUND;
	if (ret)
		*ret = v->address;
	if (ret_size)
		*ret_size = v->size;
	return CUDA_SUCCESS;
}
