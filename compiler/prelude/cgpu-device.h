/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What device code of C++ cells has in CUDA, and clang's headers do not give it. Most is for the
 * device's half; what the host's half parses as well is declared there.
 */
#ifndef CGPU_DEVICE_H
#define CGPU_DEVICE_H

/* ---- launches in device code ---- */

/* compiler/clang/device/clang-launches.hh tells what becomes of it. */
#define CGPU_LAUNCH [&] __host__ __device__ __attribute__((annotate(CGPU_LAUNCH_MARK)))

#ifdef __CUDA_ARCH__
extern "C" __device__ unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0,
							   CUstream_st *stream = 0);
#endif

/* ---- shared variables of classes ---- */

/* Whose constructor is not called. */
template <class T> union cgpu_room {
	T at;

	__host__ __device__ cgpu_room()
	{
	}

	__host__ __device__ ~cgpu_room()
	{
	}
};

/* ---- words of nvcc ---- */

/* Of a kernel's text the host's half makes no code, so it need not be that of the device at hand;
 * in an #if it is no macro. */
#ifndef __CUDA_ARCH__
constexpr int __CUDA_ARCH__ = 900;
/* The third number is for some devices only, and warned about where none is known. */
#undef __launch_bounds__
#define __launch_bounds__(...)
#else
#undef __maxnreg__
#undef __cluster_dims__
#define __maxnreg__(n) __attribute__((annotate(CGPU_REGISTERS, n)))
#define __cluster_dims__(...) __attribute__((annotate(CGPU_CLUSTER, __VA_ARGS__)))
#endif

/* ---- functions of the runtime ---- */

/* The host's have a default for the stream. */
inline __device__ cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size,
					      cudaMemcpyKind kind)
{
	return cudaMemcpyAsync(to, from, size, kind, (cudaStream_t)0);
}

inline __device__ cudaError_t cudaMemsetAsync(void *to, int byte, size_t size)
{
	return cudaMemsetAsync(to, byte, size, (cudaStream_t)0);
}

#ifdef __CUDA_ARCH__
/* The toolkit's headers declare it. */
template <class T> static inline __device__ cudaError_t cudaMalloc(T **ret, size_t size)
{
	return cudaMalloc(reinterpret_cast<void **>(ret), size);
}
#endif

/* ---- instructions ---- */

/* What the toolkit's headers call, and nvcc makes instructions of. */
#ifdef __CUDA_ARCH__
#define CGPU_DOT(name, instruction, type)                                                          \
	extern "C" inline __device__ type name(type a, type b, type c)                             \
	{                                                                                          \
		type d;                                                                            \
                                                                                                   \
		asm(instruction " %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));            \
		return d;                                                                          \
	}
CGPU_DOT(__nv_idp4a_s_s_impl, "dp4a.s32.s32", int)
CGPU_DOT(__nv_idp4a_u_u_impl, "dp4a.u32.u32", unsigned)
CGPU_DOT(__nv_idp2a_lo_s_s_impl, "dp2a.lo.s32.s32", int)
CGPU_DOT(__nv_idp2a_hi_s_s_impl, "dp2a.hi.s32.s32", int)
CGPU_DOT(__nv_idp2a_lo_u_u_impl, "dp2a.lo.u32.u32", unsigned)
CGPU_DOT(__nv_idp2a_hi_u_u_impl, "dp2a.hi.u32.u32", unsigned)
#undef CGPU_DOT

extern "C" inline __device__ unsigned short
__usAtomicCAS(unsigned short *at, unsigned short expected, unsigned short value)
{
	unsigned short before;

	asm volatile("atom.cas.b16 %0, [%1], %2, %3;"
		     : "=h"(before)
		     : "l"(at), "h"(expected), "h"(value)
		     : "memory");
	return before;
}
#endif

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#ifdef __CUDA_ARCH__
#define CGPU_REDUX(instruction, type)                                                              \
	{                                                                                          \
		type all;                                                                          \
                                                                                                   \
		asm volatile("redux.sync." instruction " %0, %1, %2;"                              \
			     : "=r"(all)                                                           \
			     : "r"(value), "r"(mask)                                               \
			     : "memory");                                                          \
		return all;                                                                        \
	}
#else
#define CGPU_REDUX(instruction, type) ;
#endif
#define CGPU_REDUCE(name, instruction, type)                                                       \
	inline __device__ type __reduce_##name##_sync(unsigned mask, type value)                   \
		CGPU_REDUX(instruction, type)
CGPU_REDUCE(add, "add.u32", unsigned)
CGPU_REDUCE(add, "add.s32", int)
CGPU_REDUCE(min, "min.u32", unsigned)
CGPU_REDUCE(min, "min.s32", int)
CGPU_REDUCE(max, "max.u32", unsigned)
CGPU_REDUCE(max, "max.s32", int)
CGPU_REDUCE(and, "and.b32", unsigned)
CGPU_REDUCE(or, "or.b32", unsigned)
CGPU_REDUCE(xor, "xor.b32", unsigned)
#undef CGPU_REDUCE
#undef CGPU_REDUX
#endif

inline __device__ float __tanhf(float x)
{
	float y;

	asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
	return y;
}

/* Loads and stores that say what a cache is to do. A value is as many registers as it has bytes
 * for. */
template <class T> union cgpu_loaded {
	T value;
	unsigned short b16;
	unsigned b32;
	unsigned long long b64[(sizeof(T) + 7) / 8];

	__device__ cgpu_loaded()
	{
	}
};

#ifdef __CUDA_ARCH__
#define CGPU_CACHED_LOAD(name, instruction)                                                        \
	template <class T> __device__ T name(const T *from)                                        \
	{                                                                                          \
		cgpu_loaded<T> v;                                                                  \
                                                                                                   \
		static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 ||                \
			      sizeof(T) == 8 || sizeof(T) == 16);                                  \
		if constexpr (sizeof(T) == 1)                                                      \
			asm volatile(instruction ".u8 %0, [%1];"                                   \
				     : "=h"(v.b16)                                                 \
				     : "l"(from)                                                   \
				     : "memory");                                                  \
		else if constexpr (sizeof(T) == 2)                                                 \
			asm volatile(instruction ".u16 %0, [%1];"                                  \
				     : "=h"(v.b16)                                                 \
				     : "l"(from)                                                   \
				     : "memory");                                                  \
		else if constexpr (sizeof(T) == 4)                                                 \
			asm volatile(instruction ".u32 %0, [%1];"                                  \
				     : "=r"(v.b32)                                                 \
				     : "l"(from)                                                   \
				     : "memory");                                                  \
		else if constexpr (sizeof(T) == 8)                                                 \
			asm volatile(instruction ".u64 %0, [%1];"                                  \
				     : "=l"(v.b64[0])                                              \
				     : "l"(from)                                                   \
				     : "memory");                                                  \
		else                                                                               \
			asm volatile(instruction ".v2.u64 {%0, %1}, [%2];"                         \
				     : "=l"(v.b64[0]), "=l"(v.b64[1])                              \
				     : "l"(from)                                                   \
				     : "memory");                                                  \
		return v.value;                                                                    \
	}
#define CGPU_CACHED_STORE(name, instruction)                                                       \
	template <class T> __device__ void name(T *to, T value)                                    \
	{                                                                                          \
		cgpu_loaded<T> v;                                                                  \
                                                                                                   \
		static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 ||                \
			      sizeof(T) == 8 || sizeof(T) == 16);                                  \
		v.value = value;                                                                   \
		if constexpr (sizeof(T) == 1)                                                      \
			asm volatile(instruction ".u8 [%0], %1;"                                   \
				     :                                                             \
				     : "l"(to), "h"((unsigned short)(v.b16 & 255))                 \
				     : "memory");                                                  \
		else if constexpr (sizeof(T) == 2)                                                 \
			asm volatile(instruction ".u16 [%0], %1;"                                  \
				     :                                                             \
				     : "l"(to), "h"(v.b16)                                         \
				     : "memory");                                                  \
		else if constexpr (sizeof(T) == 4)                                                 \
			asm volatile(instruction ".u32 [%0], %1;"                                  \
				     :                                                             \
				     : "l"(to), "r"(v.b32)                                         \
				     : "memory");                                                  \
		else if constexpr (sizeof(T) == 8)                                                 \
			asm volatile(instruction ".u64 [%0], %1;"                                  \
				     :                                                             \
				     : "l"(to), "l"(v.b64[0])                                      \
				     : "memory");                                                  \
		else                                                                               \
			asm volatile(instruction ".v2.u64 [%0], {%1, %2};"                         \
				     :                                                             \
				     : "l"(to), "l"(v.b64[0]), "l"(v.b64[1])                       \
				     : "memory");                                                  \
	}
#else
#define CGPU_CACHED_LOAD(name, instruction) template <class T> __device__ T name(const T *from);
#define CGPU_CACHED_STORE(name, instruction)                                                       \
	template <class T> __device__ void name(T *to, T value);
#endif
CGPU_CACHED_LOAD(__ldcg, "ld.global.cg")
CGPU_CACHED_LOAD(__ldca, "ld.global.ca")
CGPU_CACHED_LOAD(__ldcs, "ld.global.cs")
CGPU_CACHED_LOAD(__ldlu, "ld.global.lu")
CGPU_CACHED_LOAD(__ldcv, "ld.global.cv")
CGPU_CACHED_STORE(__stwb, "st.global.wb")
CGPU_CACHED_STORE(__stcg, "st.global.cg")
CGPU_CACHED_STORE(__stcs, "st.global.cs")
CGPU_CACHED_STORE(__stwt, "st.global.wt")
#undef CGPU_CACHED_LOAD
#undef CGPU_CACHED_STORE

/* ---- what a file of its own has ---- */

#include "cgpu-surface.h"

#endif
