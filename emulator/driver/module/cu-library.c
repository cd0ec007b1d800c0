/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Driver API: libraries and their kernels, which belong to no context. A library is a module and a
 * CUkernel is the CUfunction of it: handles of either kind may be launched. On another device than
 * the one where it was loaded it has a twin.
 */
#include "emulator/driver/module/cu-module.h"

static CUmodule module_of(CUlibrary l)
{
	return (CUmodule)l;
}

static CUfunction function_of(CUkernel k)
{
	return (CUfunction)k;
}

CUresult cuLibraryLoadData(CUlibrary *ret, const void *code, CUjit_option *options, void **values,
			   unsigned int n, CUlibraryOption *library_options, void **library_values,
			   unsigned int library_n)
{
	CUresult result = gpu_enter("cuLibraryLoadData", GPU_CALL_DEVICE);
	CUmodule m;

	(void)library_options;
	(void)library_values;
	(void)library_n;
	if (result)
		return result;
	if (!ret || !code)
		return CUDA_ERROR_INVALID_VALUE;
	result = cu_module_load(&m, code, n, options, values);
	if (!result) {
		m->library = true;
		*ret = (CUlibrary)m;
	}
	return result;
}

CUresult cuLibraryLoadFromFile(CUlibrary *ret, const char *path, CUjit_option *options,
			       void **values, unsigned int n, CUlibraryOption *library_options,
			       void **library_values, unsigned int library_n)
{
	CUresult result = gpu_enter("cuLibraryLoadFromFile", GPU_CALL_DEVICE);
	CUmodule m;

	(void)library_options;
	(void)library_values;
	(void)library_n;
	if (result)
		return result;
	if (!ret)
		return CUDA_ERROR_INVALID_VALUE;
	result = cu_module_load_file(&m, path, n, options, values);
	if (!result) {
		m->library = true;
		*ret = (CUlibrary)m;
	}
	return result;
}

CUresult cuLibraryUnload(CUlibrary l)
{
	return cuModuleUnload(module_of(l));
}

CUresult cuLibraryGetModule(CUmodule *ret, CUlibrary l)
{
	CUresult result = gpu_enter("cuLibraryGetModule", GPU_CALL_DEVICE);

	if (result)
		return result;
	if (!ret || !cu_module_valid(module_of(l)))
		return ret ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
	*ret = cu_module_here(module_of(l));
	return *ret ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuLibraryGetKernel(CUkernel *ret, CUlibrary l, const char *name)
{
	CUresult result = gpu_enter("cuLibraryGetKernel", GPU_CALL_DEVICE);

	return result ? result : cu_module_function((CUfunction *)ret, module_of(l), name);
}

CUresult cuLibraryGetKernelCount(unsigned int *ret, CUlibrary l)
{
	CUresult result = gpu_enter("cuLibraryGetKernelCount", GPU_CALL_DEVICE);

	if (result)
		return result;
	return ret ? cu_module_functions(NULL, 0, ret, module_of(l)) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuLibraryEnumerateKernels(CUkernel *ret, unsigned int n, CUlibrary l)
{
	CUresult result = gpu_enter("cuLibraryEnumerateKernels", GPU_CALL_DEVICE);

	if (result)
		return result;
	return ret ? cu_module_functions((CUfunction *)ret, n, NULL, module_of(l))
		   : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuLibraryGetGlobal(CUdeviceptr *ret, size_t *ret_size, CUlibrary l, const char *name)
{
	return cuModuleGetGlobal(ret, ret_size, cu_module_here(module_of(l)), name);
}

CUresult cuLibraryGetManaged(CUdeviceptr *ret, size_t *ret_size, CUlibrary l, const char *name)
{
	const struct ptx_variable *v;

	if (!name || !cu_module_valid(module_of(l)))
		return name ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
	v = ptx_module_variable(module_of(l)->ptx, name);
	return v && v->managed
		       ? cuModuleGetGlobal(ret, ret_size, cu_module_here(module_of(l)), name)
		       : CUDA_ERROR_NOT_FOUND;
}

CUresult cuKernelGetFunction(CUfunction *ret, CUkernel k)
{
	CUresult result = gpu_enter("cuKernelGetFunction", GPU_CALL_ASYNC);

	if (result)
		return result;
	if (!ret || !cu_function_valid(function_of(k)))
		return ret ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
	*ret = cu_function_here(function_of(k));
	return *ret ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuKernelGetLibrary(CUlibrary *ret, CUkernel k)
{
	return cuFuncGetModule((CUmodule *)ret, function_of(k));
}

CUresult cuKernelGetName(const char **ret, CUkernel k)
{
	return cuFuncGetName(ret, function_of(k));
}

CUresult cuKernelGetParamInfo(CUkernel k, size_t index, size_t *ret_offset, size_t *ret_size)
{
	return cuFuncGetParamInfo(function_of(k), index, ret_offset, ret_size);
}

CUresult cuKernelGetAttribute(int *ret, CUfunction_attribute attribute, CUkernel k, CUdevice device)
{
	return !gpu_has(device) ? CUDA_ERROR_INVALID_DEVICE
				: cuFuncGetAttribute(ret, attribute, function_of(k));
}

CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel k,
			      CUdevice device)
{
	return !gpu_has(device) ? CUDA_ERROR_INVALID_DEVICE
				: cuFuncSetAttribute(function_of(k), attribute, value);
}

CUresult cuKernelSetCacheConfig(CUkernel k, CUfunc_cache config, CUdevice device)
{
	return !gpu_has(device) ? CUDA_ERROR_INVALID_DEVICE
				: cuFuncSetCacheConfig(function_of(k), config);
}
