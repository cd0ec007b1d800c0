/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrays and textures inside the driver. An array is plain device memory whose rows follow each
 * other without gaps, so copies and the machine reach it like any buffer.
 */
#ifndef CGPU_EMULATOR_CU_ARRAY_H
#define CGPU_EMULATOR_CU_ARRAY_H

#include "emulator/driver/device/gpu.h"
#include "emulator/memory/image.h"

struct CUarray_st {
	uint64_t magic;
	uint64_t address; /* of the first element; a level of a mipmapped array lies inside that
			     one's memory */
	uint64_t pitch, slice;
	bool owned; /* not a level */
	CUDA_ARRAY3D_DESCRIPTOR shape;
};

struct CUmipmappedArray_st {
	uint64_t magic;
	uint64_t address;
	unsigned levels;
	struct CUarray_st level[IMAGE_LEVELS];
};

bool cu_array_valid(CUarray a);
bool cu_mipmapped_valid(CUmipmappedArray a);
/* Bytes of one channel; 0 for a format that is not emulated. kind: enum image_kind. */
unsigned cu_format_bytes(CUarray_format format, uint8_t *kind);
/* Elements in each direction as copies see them: at least 1; layers and faces count as depth. */
void cu_array_extent(const struct CUarray_st *a, size_t extent[3]);
size_t cu_array_element(const struct CUarray_st *a);

/* The texture or surface of a handle, for the machine; NULL when there is none. Stays readable for
 * ever. */
const struct image *cu_image_find(void *data, uint64_t handle);

#endif
