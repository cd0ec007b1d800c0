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
typedef struct cudaTextureDesc cudaTextureDesc;
typedef struct cudaMemPoolProps cudaMemPoolProps;
typedef struct cudaMemLocation cudaMemLocation;
typedef struct cudaMemAccessDesc cudaMemAccessDesc;
typedef enum cudaMemcpyKind cudaMemcpyKind;
typedef enum cudaDeviceAttr cudaDeviceAttr;
typedef enum cudaFuncAttribute cudaFuncAttribute;

#define nullptr ((void *)0)
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

#endif
