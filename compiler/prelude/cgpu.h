/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every cell sees without including it: the C library, the CUDA runtime where its headers are
 * installed, and what cgpu offers to cells. It is precompiled once.
 */
#ifndef CGPU_H
#define CGPU_H

#ifdef __cplusplus
#if !__has_include(<cstddef>)
#error the headers of the C++ library are missing: apt-get install g++
#endif
#ifdef CGPU_WITH_CUDA
/*
 * CUDA as clang has it: the toolkit's headers, with what clang says in other words. It leaves out
 * <crt/math_functions.h>, whose macro <crt/math_functions.hpp> wants since CUDA 13.2.
 */
#define _NV_RSQRT_SPECIFIER
#define _CG_CLUSTER_INTRINSICS_AVAILABLE /* clang has them, and NVIDIA's headers do not know it */
#define __CUDACC_INTERNAL_NO_STUBS__     /* functions of the runtime in device code are those of   \
					    libcudadevrt */
#define any(x) cgpu_any(x)
#define all(x) cgpu_all(x)
#define ballot(x) cgpu_ballot(x)
/* Clang 19 hands mask and value on in the wrong order: cgpu-device.h has them. */
#define __reduce_add_sync cgpu_reduce_add_of_clang
#define __reduce_min_sync cgpu_reduce_min_of_clang
#define __reduce_max_sync cgpu_reduce_max_of_clang
#define __reduce_and_sync cgpu_reduce_and_of_clang
#define __reduce_or_sync cgpu_reduce_or_of_clang
#define __reduce_xor_sync cgpu_reduce_xor_of_clang
/* Gone from CUDA and from every device that it has; clang knows them, and LLVM ends itself over
 * them. */
#define __shfl cgpu_shfl_of_clang
#define __shfl_up cgpu_shfl_up_of_clang
#define __shfl_down cgpu_shfl_down_of_clang
#define __shfl_xor cgpu_shfl_xor_of_clang
#define __any cgpu_any_of_clang
#define __all cgpu_all_of_clang
#define __ballot cgpu_ballot_of_clang
#include <__clang_cuda_runtime_wrapper.h>
#undef __shfl
#undef __shfl_up
#undef __shfl_down
#undef __shfl_xor
#undef __any
#undef __all
#undef __ballot
#undef __reduce_add_sync
#undef __reduce_min_sync
#undef __reduce_max_sync
#undef __reduce_and_sync
#undef __reduce_or_sync
#undef __reduce_xor_sync
#undef any
#undef all
#undef ballot
#undef __CUDACC_INTERNAL_NO_STUBS__
#endif
#endif

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/time.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#include "cgpu-display.h"
#include "cgpu-widgets.h"
#include "common/cell-timing.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Show a value as the result of the cell: type as C text, type code, the object and its size in
 * bytes. */
void cgpu_display_value(const char *type, const char *type_code, const void *object,
			unsigned long size);

/* A variable of the session gets the initial value that the cell defines it with: the cell has come
 * to that place. */
void cgpu_initialise(const char *name);

/*
 * Commit what this cell has done so far: an error later in the cell rolls back to here. 0, or -1
 * with errno: EBUSY when a thread does not stand still, EPERM outside the cell's own thread, EIO
 * when the device has failed.
 */
int cgpu_checkpoint(void);
/* Take away what the cell has shown so far: at once, or when the next output comes. */
void cgpu_clear_output(int wait);

/* What %run does: start(argc, argv) is called as a program, exit() ends it, its exit status is
 * shown. gives_status: does it return int? */
int cgpu_program(void *start, int gives_status, int argc, char **argv);

/* What %timeit does: the block behind cgpu_t runs so often that a run takes a fifth of a second,
 * and 7 such runs; that behind cgpu_r(loops, runs) as it says, with 0 for what is not said. */
int cgpu_timing_next(struct cgpu_timing *t);
#define cgpu_r(loops_, runs_)                                                                      \
	for (struct cgpu_timing cgpu_timing_ = { loops_, runs_, 0, 0, 0, 0, 0 };                   \
	     cgpu_timing_next(&cgpu_timing_);)                                                     \
		for (unsigned long cgpu_left_ = cgpu_timing_.loops; cgpu_left_; cgpu_left_--)
#define cgpu_t cgpu_r(0, 0)

/* In C++ main() always does. */
#ifndef __cplusplus
#define CGPU_GIVES_STATUS(start) __builtin_types_compatible_p(__typeof__(start), int())
#else
#define CGPU_GIVES_STATUS(start) 1
#endif

#ifdef __cplusplus
/* What a `return` among a cell's statements calls, and what stands behind those statements. */
void cgpu_returns(void);
void cgpu_end_if_returned(void);
}

/* clang 19 does not know a va_list again after a precompiled header in which none was used. */
inline void cgpu_use_va_list(int n, ...)
{
	__builtin_va_list list;

	__builtin_va_start(list, n);
	__builtin_va_end(list);
}

/* For the type of what a lambda has captured. */
template <class T> T cgpu_value_of();

/* What malloc() gives is any pointer: `float *p = malloc(n)` is compiled as `float *p =
 * cgpu_memory{malloc(n)}`. */
struct cgpu_memory {
	void *at;

	template <class T> operator T *() const
	{
		return static_cast<T *>(at);
	}
};

/* What a lambda that captures an array of the session by value has of it: `[=]` is compiled as `[a
 * = cgpu_array_copy(a)]`. */
template <class T, unsigned long n> struct cgpu_array {
	T at[n];

#ifdef CGPU_WITH_CUDA
	__host__ __device__
#endif
		constexpr
		operator const T *() const
	{
		return at;
	}
};

template <class T> void cgpu_array_assign(T &to, const T &from)
{
	to = from;
}

template <class T, unsigned long n> void cgpu_array_assign(T (&to)[n], const T (&from)[n])
{
	for (unsigned long i = 0; i < n; i++)
		cgpu_array_assign(to[i], from[i]);
}

template <class T, unsigned long n> cgpu_array<T, n> cgpu_array_copy(const T (&from)[n])
{
	cgpu_array<T, n> to;

	cgpu_array_assign(to.at, from);
	return to;
}

#ifdef CGPU_WITH_CUDA
#include "cgpu-legacy.h"
#include "common/launch-glue.h"
#include <cuda.h>
#include <cuda_profiler_api.h>
#include <driver_functions.h>
#include <library_types.h>
/* A variable that is there for both: the host has it, the device reaches that one. */
#undef __managed__
#ifdef __CUDA_ARCH__
#define __managed__ __attribute__((device)) __attribute__((annotate(CGPU_MANAGED)))
#else
#define __managed__ __attribute__((annotate(CGPU_MANAGED)))
#endif
#endif
#ifdef CGPU_WITH_CUDA
#include "cgpu-device.h"

/*
 * min() and max() on the host, as nvcc has them; clang's headers have those of the device alone.
 * They are templates, so that a function that the program has itself is the better match, and not
 * `constexpr`, which would be for both sides: clang lets code for both sides take a function of the
 * host only where that is for the host alone.
 */
template <bool, class T> struct cgpu_only_if;
template <class T> struct cgpu_only_if<true, T> {
	typedef T type;
};
#define CGPU_OF_BOTH                                                                               \
	typename cgpu_only_if<__is_arithmetic(A) && __is_arithmetic(B), decltype(A() + B())>::type
template <class A, class B> inline CGPU_OF_BOTH min(A a, B b)
{
	return a < b ? a : b;
}

template <class A, class B> inline CGPU_OF_BOTH max(A a, B b)
{
	return a < b ? b : a;
}
#undef CGPU_OF_BOTH
#endif
#include "cgpu-show.h"
#elif defined(CGPU_WITH_CUDA)
#include "cgpu-cuda.h"
#endif

#endif
