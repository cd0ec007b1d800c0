/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CUDA runtime for cells in C: NVIDIA's own header, then the spellings that CUDA C++ allows and
 * C does not (launch-glue.h), structures without `struct`, and the C++ words that C-style CUDA
 * programs use on the host.
 */
#ifndef CGPU_CUDA_H
#define CGPU_CUDA_H

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <cuda_profiler_api.h>
#include <driver_functions.h>
#include <library_types.h>

#include "cgpu-legacy.h"
#include "common/launch-glue.h"

typedef struct cudaDeviceProp cudaDeviceProp;
typedef struct cudaFuncAttributes cudaFuncAttributes;
typedef struct cudaPointerAttributes cudaPointerAttributes;
typedef struct cudaChannelFormatDesc cudaChannelFormatDesc;
typedef struct cudaExtent cudaExtent;
typedef struct cudaPos cudaPos;
typedef struct cudaPitchedPtr cudaPitchedPtr;
typedef struct cudaMemcpy3DParms cudaMemcpy3DParms;
typedef struct cudaResourceDesc cudaResourceDesc;
typedef struct cudaResourceViewDesc cudaResourceViewDesc;
typedef struct cudaTextureDesc cudaTextureDesc;
typedef struct cudaMemPoolProps cudaMemPoolProps;
typedef struct cudaMemLocation cudaMemLocation;
typedef struct cudaMemAccessDesc cudaMemAccessDesc;
typedef struct cudaMemcpy3DPeerParms cudaMemcpy3DPeerParms;
typedef struct cudaKernelNodeParams cudaKernelNodeParams;
typedef struct cudaHostNodeParams cudaHostNodeParams;
typedef struct cudaMemsetParams cudaMemsetParams;
typedef struct cudaMemAllocNodeParams cudaMemAllocNodeParams;
typedef struct cudaAccessPolicyWindow cudaAccessPolicyWindow;
typedef enum cudaMemcpyKind cudaMemcpyKind;
typedef enum cudaMemoryType cudaMemoryType;
typedef enum cudaMemoryAdvise cudaMemoryAdvise;
typedef enum cudaMemRangeAttribute cudaMemRangeAttribute;
typedef enum cudaMemPoolAttr cudaMemPoolAttr;
typedef enum cudaMemLocationType cudaMemLocationType;
typedef enum cudaDeviceAttr cudaDeviceAttr;
typedef enum cudaDeviceP2PAttr cudaDeviceP2PAttr;
typedef enum cudaComputeMode cudaComputeMode;
typedef enum cudaLimit cudaLimit;
typedef enum cudaFuncAttribute cudaFuncAttribute;
typedef enum cudaFuncCache cudaFuncCache;
typedef enum cudaSharedMemConfig cudaSharedMemConfig;
typedef enum cudaSharedCarveout cudaSharedCarveout;
typedef enum cudaChannelFormatKind cudaChannelFormatKind;
typedef enum cudaTextureAddressMode cudaTextureAddressMode;
typedef enum cudaTextureFilterMode cudaTextureFilterMode;
typedef enum cudaTextureReadMode cudaTextureReadMode;
typedef enum cudaResourceType cudaResourceType;
typedef enum cudaResourceViewFormat cudaResourceViewFormat;
typedef enum cudaStreamCaptureMode cudaStreamCaptureMode;
typedef enum cudaStreamCaptureStatus cudaStreamCaptureStatus;
typedef enum cudaGraphNodeType cudaGraphNodeType;
typedef enum cudaGraphExecUpdateResult cudaGraphExecUpdateResult;
typedef struct cudaArray cudaArray;
typedef struct cudaMipmappedArray cudaMipmappedArray;

/* make_float3() and the like, which the toolkit has for C++ only. */
#define CGPU_MAKE_VECTORS(prefix, element) \
	static inline struct prefix##1 make_##prefix##1(element x) { return (struct prefix##1){ x }; } \
	static inline struct prefix##2 make_##prefix##2(element x, element y) { return (struct prefix##2){ x, y }; } \
	static inline struct prefix##3 make_##prefix##3(element x, element y, element z) { return (struct prefix##3){ x, y, z }; }
#define CGPU_MAKE_FOURTH(prefix, element) \
	static inline struct prefix##4 make_##prefix##4(element x, element y, element z, element w) \
	{ \
		return (struct prefix##4){ x, y, z, w }; \
	}
#define CGPU_MAKE_VECTORS_4(prefix, element) CGPU_MAKE_VECTORS(prefix, element) CGPU_MAKE_FOURTH(prefix, element)
CGPU_MAKE_VECTORS_4(char, signed char)
CGPU_MAKE_VECTORS_4(uchar, unsigned char)
CGPU_MAKE_VECTORS_4(short, short)
CGPU_MAKE_VECTORS_4(ushort, unsigned short)
CGPU_MAKE_VECTORS_4(int, int)
CGPU_MAKE_VECTORS_4(uint, unsigned int)
CGPU_MAKE_VECTORS_4(float, float)
CGPU_MAKE_VECTORS(long, long)
CGPU_MAKE_VECTORS(ulong, unsigned long)
CGPU_MAKE_VECTORS(longlong, long long)
CGPU_MAKE_VECTORS(ulonglong, unsigned long long)
CGPU_MAKE_VECTORS(double, double)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
CGPU_MAKE_FOURTH(long, long)
CGPU_MAKE_FOURTH(ulong, unsigned long)
CGPU_MAKE_FOURTH(longlong, long long)
CGPU_MAKE_FOURTH(ulonglong, unsigned long long)
CGPU_MAKE_FOURTH(double, double)
#pragma GCC diagnostic pop

/* cudaCreateChannelDesc<T>() of CUDA C++; the compiler writes this name for it. */
#define cgpu_channels(bits, n, kind)                                                               \
	((struct cudaChannelFormatDesc){ bits, n > 1 ? bits : 0, n > 2 ? bits : 0, n > 3 ? bits : 0, kind })
#define cgpu_channel_desc(T) \
	_Generic((T *)0, \
		char *: cgpu_channels(8, 1, cudaChannelFormatKindSigned), \
		signed char *: cgpu_channels(8, 1, cudaChannelFormatKindSigned), \
		unsigned char *: cgpu_channels(8, 1, cudaChannelFormatKindUnsigned), \
		short *: cgpu_channels(16, 1, cudaChannelFormatKindSigned), \
		unsigned short *: cgpu_channels(16, 1, cudaChannelFormatKindUnsigned), \
		int *: cgpu_channels(32, 1, cudaChannelFormatKindSigned), \
		unsigned int *: cgpu_channels(32, 1, cudaChannelFormatKindUnsigned), \
		float *: cgpu_channels(32, 1, cudaChannelFormatKindFloat), \
		char1 *: cgpu_channels(8, 1, cudaChannelFormatKindSigned), \
		char2 *: cgpu_channels(8, 2, cudaChannelFormatKindSigned), \
		char4 *: cgpu_channels(8, 4, cudaChannelFormatKindSigned), \
		uchar1 *: cgpu_channels(8, 1, cudaChannelFormatKindUnsigned), \
		uchar2 *: cgpu_channels(8, 2, cudaChannelFormatKindUnsigned), \
		uchar4 *: cgpu_channels(8, 4, cudaChannelFormatKindUnsigned), \
		short1 *: cgpu_channels(16, 1, cudaChannelFormatKindSigned), \
		short2 *: cgpu_channels(16, 2, cudaChannelFormatKindSigned), \
		short4 *: cgpu_channels(16, 4, cudaChannelFormatKindSigned), \
		ushort1 *: cgpu_channels(16, 1, cudaChannelFormatKindUnsigned), \
		ushort2 *: cgpu_channels(16, 2, cudaChannelFormatKindUnsigned), \
		ushort4 *: cgpu_channels(16, 4, cudaChannelFormatKindUnsigned), \
		int1 *: cgpu_channels(32, 1, cudaChannelFormatKindSigned), \
		int2 *: cgpu_channels(32, 2, cudaChannelFormatKindSigned), \
		int4 *: cgpu_channels(32, 4, cudaChannelFormatKindSigned), \
		uint1 *: cgpu_channels(32, 1, cudaChannelFormatKindUnsigned), \
		uint2 *: cgpu_channels(32, 2, cudaChannelFormatKindUnsigned), \
		uint4 *: cgpu_channels(32, 4, cudaChannelFormatKindUnsigned), \
		float1 *: cgpu_channels(32, 1, cudaChannelFormatKindFloat), \
		float2 *: cgpu_channels(32, 2, cudaChannelFormatKindFloat), \
		float4 *: cgpu_channels(32, 4, cudaChannelFormatKindFloat))

#define nullptr ((void *)0)
#define constexpr const
#define cgpu_absolute(a) _Generic((a), float: fabsf, double: fabs, long double: fabsl, default: abs)(a)
#define cgpu_smaller(a, b)                                                                         \
	__extension__({                                                                            \
		__auto_type a_ = (a);                                                              \
		__auto_type b_ = (b);                                                              \
		a_ < b_ ? a_ : b_;                                                                 \
	})
#define cgpu_larger(a, b)                                                                          \
	__extension__({                                                                            \
		__auto_type a_ = (a);                                                              \
		__auto_type b_ = (b);                                                              \
		a_ > b_ ? a_ : b_;                                                                 \
	})

/* To C they would be attributes that it does not know, and leaves out: a cell that has them is CUDA C++. */
#undef __global__
#undef __device__
#undef __host__
#undef __constant__
#undef __shared__
#undef __managed__

#endif
