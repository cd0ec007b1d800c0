/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrays, textures and surfaces as session state. How a driver lays an array out is its secret, so
 * the content is kept twice: in the driver's array, which device code uses, and in a buffer of the
 * session, which is committed and rolled back as any other. What a cell has written to the array is
 * copied to that buffer at the end of the cell. Another worker makes the arrays and objects again
 * when the first of them is used. A texture object is a number that cells hand to device code by
 * value, so it is made again until the driver gives the same number.
 *
 * All under device.lock, but images_before_launch(), whose caller has it too.
 */
#ifndef CGPU_RUNTIME_CUDA_ROLLBACK_IMAGES_H
#define CGPU_RUNTIME_CUDA_ROLLBACK_IMAGES_H

#include <stdbool.h>

#include <cuda.h>
#include <driver_types.h>

#include "runtime/cuda/session/session.h"

struct ledger_request;

/* cudaErrorInvalidChannelDescriptor for what no array can hold. */
cudaError_t images_format(const struct cudaChannelFormatDesc *d, CUarray_format *ret,
			  unsigned *ret_channels);
/* Bytes of one element. */
size_t images_element(const struct session_image *i);

/* r->size is found out here. */
CUresult images_new(const struct ledger_request *r, const CUDA_ARRAY3D_DESCRIPTOR *shape,
		    const struct cudaChannelFormatDesc *format, cudaArray_t *ret);
/* INVALID_VALUE for what is no array, or a level of one. NULL is nothing to do. */
CUresult images_free(cudaArray_t array);
/* The array behind a cell's handle; NULL when there is none. Its driver handle is valid if
 * images_ready() was asked. */
struct session_image *images_find(cudaArray_const_t array);
/* The array is about to be written by a copy. */
CUresult images_before_write(struct session_image *i);

CUresult images_mipmap_new(const struct ledger_request *r, const CUDA_ARRAY3D_DESCRIPTOR *shape,
			   const struct cudaChannelFormatDesc *format, unsigned levels,
			   cudaMipmappedArray_t *ret);
CUresult images_mipmap_free(cudaMipmappedArray_t mipmap);
struct session_mipmap *images_mipmap_find(cudaMipmappedArray_const_t mipmap);

/* o->handle is set; the rest is the caller's. */
CUresult images_object_new(struct session_object *o);
CUresult images_object_free(uint64_t handle, bool surface);
const struct session_object *images_object_find(uint64_t handle, bool surface);

/* Make everything again if this worker has not yet; before any of the above. */
CUresult images_ready(void);
/* Device code is about to run; it may write through surfaces. */
CUresult images_before_launch(void);
/* The cell ends well: written arrays go to the session. The device is idle. */
CUresult images_settle(void);
/* All are gone, as after cudaDeviceReset(). */
void images_reset(void);

#endif
