/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the code of a unit calls on the host to reach the device; the worker's loader binds these names. The first part
 * needs no header. The second part, for C code that has included <cuda_runtime_api.h>, gives the spellings that CUDA C++
 * allows and C does not: default arguments, cudaMalloc(&p, n) without a cast, symbols passed by name, dim3 from numbers.
 *
 * What the compiler makes of CUDA text:
 *
 *	k<<<g, b, sh, st>>>(a, n);     (cgpu_launch_configure(cgpu_dim3_of(g), cgpu_dim3_of(b), sh, st, line)
 *	                                        ? (void)0 : k(a, n));
 *	__global__ void k(float *a, int n) {...}
 *	                               void k(float *a, int n) { void *args[] = { &a, &n }; cgpu_launch("k", args); }
 *	                               (without parameters: args is NULL); k is in the unit's entries
 *	dim3 g(4, 4);  dim3(4, 4)      dim3 g = cgpu_dim3(4, 4);  cgpu_dim3(4, 4)
 *	dim3 g;                        dim3 g = cgpu_dim3();
 *	__constant__ float c[8] = {1}; float c[8]; in the host object: a stand-in whose address names the variable, for
 *	                               cudaMemcpyToSymbol(c, ...). For __managed__ the host object is the variable.
 *	                               Its PTX name is its C name.
 *	if (cudaFree(p)) ...           if (cgpu_looked_at(cudaFree(p))) ...
 * Later device code sees earlier variables as `extern` and is compiled with -rdc=true, so that its PTX says `.extern`.
 * The same definition run again initialises the variable again and keeps its address.
 */
#ifndef CGPU_COMMON_LAUNCH_GLUE_H
#define CGPU_COMMON_LAUNCH_GLUE_H

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Launch the entry `name` with the configuration of the cgpu_launch_configure() before it. args points at each argument;
 * their sizes are known from the device code. A launch that cannot start is recorded for cudaGetLastError().
 */
void cgpu_launch(const char *name, void **args);

/* What a variable of the host is annotated with that stands for one of the device: it has an address, and no value. */
#define CGPU_STAND_IN "cgpu.device"
#define CGPU_STAND_IN_MARK "__attribute__((annotate(\"" CGPU_STAND_IN "\"))) "
/* And a function that is for the device, too. */
#define CGPU_FOR_BOTH "cgpu.both"
#define CGPU_FOR_BOTH_MARK "__attribute__((annotate(\"" CGPU_FOR_BOTH "\"))) "

/* And a lambda in device code that launches a kernel, in whose body the launch stands. */
#define CGPU_LAUNCH_MARK "cgpu.launch"
#define CGPU_LAUNCH_BEGIN "CGPU_LAUNCH { "
#define CGPU_LAUNCH_END "; }()"

/* And a variable that is `__managed__`, a kernel with `__maxnreg__` or `__cluster_dims__`. */
#define CGPU_MANAGED "cgpu.managed"
#define CGPU_REGISTERS "cgpu.registers"
#define CGPU_CLUSTER "cgpu.cluster"

/* Says what the next allocation of this thread is for: the text of its first argument ("&d_x") and the line. */
void cgpu_note(const char *argument, unsigned line);

#ifdef __CUDA_RUNTIME_API_H__

/*
 * Remember how the next cgpu_launch() of this thread is to run; calls nest like the expressions they stand in. 0: go on
 * with the call of the stub. Otherwise the configuration is impossible, the error is recorded, the stub is not called.
 */
int cgpu_launch_configure(dim3 grid, dim3 block, __SIZE_TYPE__ shared, cudaStream_t stream, unsigned line);

/* cudaOccupancyMaxPotentialBlockSize is a C++ template in the toolkit; this is what it does. */
cudaError_t cgpu_occupancy_max_potential_block_size(int *ret_grid, int *ret_block, const void *entry,
						    __SIZE_TYPE__ dynamic_shared, int limit);
/* Gives back the result of the call of the runtime API before it in this thread, which code of a cell deals with. */
cudaError_t cgpu_looked_at(cudaError_t result);
cudaError_t cgpu_malloc_host(void **ret, __SIZE_TYPE__ size, unsigned flags);

#if !defined(__cplusplus) && !defined(CGPU_LAUNCH_GLUE_PROTOTYPES)

static inline dim3 cgpu_dim3_from_dim3(dim3 d)
{
	return d;
}

static inline dim3 cgpu_dim3_from_uint3(uint3 d)
{
	dim3 ret = { d.x, d.y, d.z };

	return ret;
}

static inline dim3 cgpu_dim3_from_number(unsigned x)
{
	dim3 ret = { x, 1, 1 };

	return ret;
}

#define cgpu_dim3_of(v) \
	_Generic((v), dim3: cgpu_dim3_from_dim3, uint3: cgpu_dim3_from_uint3, default: cgpu_dim3_from_number)(v)
#define cgpu_dim3(...) cgpu_dim3_three(__VA_ARGS__ __VA_OPT__(,) 1, 1, 1, )
#define cgpu_dim3_three(x, y, z, ...) ((dim3){ (unsigned)(x), (unsigned)(y), (unsigned)(z) })

#define cgpu_symbol(s) ((const void *)&(s))
#define cgpu_entry(f) ((const void *)(f))

/* Defaults: the call is given the missing arguments; the macro picks as many as the function has. */
#define cgpu_take2(f, a, b, ...) f(a, b)
#define cgpu_take3(f, a, b, c, ...) f(a, b, c)
#define cgpu_take5(f, a, b, c, d, e, ...) f(a, b, c, d, e)
#define cgpu_take6(f, a, b, c, d, e, g, ...) f(a, b, c, d, e, g)
#define cgpu_take4(f, a, b, c, d, ...) f(a, b, c, d)
#define cgpu_take8(f, a, b, c, d, e, g, h, i, ...) f(a, b, c, d, e, g, h, i)

/* size, offset = 0, kind = the last argument, stream = 0: by how many are there. */
#define cgpu_symbol_of5(size, offset, kind, stream, direction, ...) size, offset, kind, stream
#define cgpu_symbol_of4(size, offset, kind, direction, ...) size, offset, kind, 0
#define cgpu_symbol_of3(size, offset, direction, ...) size, offset, direction, 0
#define cgpu_symbol_of2(size, direction, ...) size, 0, direction, 0
#define cgpu_symbol_pick(a, b, c, d, e, of, ...) of
#define cgpu_symbol_copy_async(...) \
	cgpu_symbol_pick(__VA_ARGS__, cgpu_symbol_of5, cgpu_symbol_of4, cgpu_symbol_of3, cgpu_symbol_of2, )(__VA_ARGS__, )
#define cgpu_symbol_first3(a, b, c, ...) a, b, c
#define cgpu_symbol_expand(...) cgpu_symbol_first3(__VA_ARGS__)
#define cgpu_symbol_copy(...) cgpu_symbol_expand(cgpu_symbol_copy_async(__VA_ARGS__))

/* Of a missing argument clang says so, and not that it is one of a macro. */
#define cudaMalloc(p, ...) cudaMalloc((void **)(p), ##__VA_ARGS__)
#define cudaMallocPitch(p, pitch, w, h) \
	cudaMallocPitch((void **)(p), (pitch), (w), (h))
#define cudaMallocAsync(p, n, s) cudaMallocAsync((void **)(p), (n), (s))
#define cudaMallocFromPoolAsync(p, n, pool, s) \
	cudaMallocFromPoolAsync((void **)(p), (n), (pool), (s))
#define cudaMallocManaged(p, ...) \
	cgpu_take3(cudaMallocManaged, (void **)(p), __VA_ARGS__, cudaMemAttachGlobal, )
#define cudaMallocHost(p, ...) \
	cgpu_take3(cgpu_malloc_host, (void **)(p), __VA_ARGS__, 0, )
#define cudaHostAlloc(p, n, flags) cudaHostAlloc((void **)(p), (n), (flags))
#define cudaHostGetDevicePointer(p, ...) cgpu_take3(cudaHostGetDevicePointer, (void **)(p), __VA_ARGS__, 0, )

#define cudaMemcpyAsync(...) cgpu_take5(cudaMemcpyAsync, __VA_ARGS__, 0, )
#define cudaMemsetAsync(...) cgpu_take4(cudaMemsetAsync, __VA_ARGS__, 0, )
#define cudaMemcpy2DAsync(...) cgpu_take8(cudaMemcpy2DAsync, __VA_ARGS__, 0, )
#define cudaMemcpyToSymbol(s, from, ...) \
	cudaMemcpyToSymbol(cgpu_symbol(s), from, cgpu_symbol_copy(__VA_ARGS__, cudaMemcpyHostToDevice))
#define cudaMemcpyFromSymbol(to, s, ...) \
	cudaMemcpyFromSymbol(to, cgpu_symbol(s), cgpu_symbol_copy(__VA_ARGS__, cudaMemcpyDeviceToHost))
#define cudaMemcpyToSymbolAsync(s, from, ...) \
	cudaMemcpyToSymbolAsync(cgpu_symbol(s), from, cgpu_symbol_copy_async(__VA_ARGS__, cudaMemcpyHostToDevice))
#define cudaMemcpyFromSymbolAsync(to, s, ...) \
	cudaMemcpyFromSymbolAsync(to, cgpu_symbol(s), cgpu_symbol_copy_async(__VA_ARGS__, cudaMemcpyDeviceToHost))
#define cudaGetSymbolAddress(p, s) cudaGetSymbolAddress((void **)(p), cgpu_symbol(s))
#define cudaGetSymbolSize(p, s) cudaGetSymbolSize((p), cgpu_symbol(s))

#define cudaMallocArray(p, d, ...) \
	cgpu_take5(cudaMallocArray, (p), (d), __VA_ARGS__, 0, 0, )
#define cudaMalloc3DArray(p, d, ...) \
	cgpu_take4(cudaMalloc3DArray, (p), (d), __VA_ARGS__, 0, )
#define cudaMallocMipmappedArray(p, d, e, ...) \
	cgpu_take5(cudaMallocMipmappedArray, (p), (d), (e), __VA_ARGS__, 0, )
#define cudaMemcpy3DAsync(...) cgpu_take2(cudaMemcpy3DAsync, __VA_ARGS__, 0, )
#define cudaMemset2DAsync(...) cgpu_take6(cudaMemset2DAsync, __VA_ARGS__, 0, )

#define cudaGraphInstantiate(p, g, ...) \
	cgpu_take3(cudaGraphInstantiate, (p), (g), __VA_ARGS__ __VA_OPT__(,) 0, )
#define cgpu_event_create(e, flags, f, ...) f
#define cudaEventCreate(...) cgpu_event_create(__VA_ARGS__, cudaEventCreateWithFlags, cudaEventCreate, )(__VA_ARGS__)
#define cudaMemcpyPeerAsync(...) cgpu_take6(cudaMemcpyPeerAsync, __VA_ARGS__, 0, )
#define cudaMemset3DAsync(...) cgpu_take4(cudaMemset3DAsync, __VA_ARGS__, 0, )
#define cudaEventRecord(...) cgpu_take2(cudaEventRecord, __VA_ARGS__, 0, )
#define cudaStreamAttachMemAsync(s, p, ...) \
	cgpu_take4(cudaStreamAttachMemAsync, (s), (p), __VA_ARGS__ __VA_OPT__(, cudaMemAttachSingle,) 0, \
		   cudaMemAttachSingle, )
#define cudaStreamWaitEvent(...) cgpu_take3(cudaStreamWaitEvent, __VA_ARGS__, 0, )

#define cudaFuncGetAttributes(p, f) cudaFuncGetAttributes((p), cgpu_entry(f))
#define cudaFuncSetAttribute(f, a, v) cudaFuncSetAttribute(cgpu_entry(f), (a), (v))
#define cudaFuncSetCacheConfig(f, c) cudaFuncSetCacheConfig(cgpu_entry(f), (c))
#define cudaLaunchKernel(f, g, b, ...) \
	cgpu_take6(cudaLaunchKernel, cgpu_entry(f), cgpu_dim3_of(g), cgpu_dim3_of(b), __VA_ARGS__, 0, 0, )
#define cudaLaunchCooperativeKernel(f, g, b, ...) \
	cgpu_take6(cudaLaunchCooperativeKernel, cgpu_entry(f), cgpu_dim3_of(g), cgpu_dim3_of(b), __VA_ARGS__, 0, 0, )
#define cudaOccupancyMaxActiveBlocksPerMultiprocessor(n, f, b, sh) \
	cudaOccupancyMaxActiveBlocksPerMultiprocessor((n), cgpu_entry(f), (b), (sh))
#define cudaOccupancyAvailableDynamicSMemPerBlock(n, f, blocks, threads) \
	cudaOccupancyAvailableDynamicSMemPerBlock((n), cgpu_entry(f), (blocks), (threads))
#define cudaFuncGetName(p, f) cudaFuncGetName((p), cgpu_entry(f))
#define cudaFuncSetSharedMemConfig(f, c) cudaFuncSetSharedMemConfig(cgpu_entry(f), (c))
#define cudaOccupancyMaxPotentialBlockSize(g, b, ...) \
	cgpu_occupancy_entry((g), (b), __VA_ARGS__, 0, 0, )
#define cgpu_occupancy_entry(g, b, f, sh, limit, ...) \
	cgpu_occupancy_max_potential_block_size(g, b, cgpu_entry(f), sh, limit)

#endif /* spellings for C */
#endif /* __CUDA_RUNTIME_API_H__ */

#ifdef __cplusplus
}
#endif

#endif
