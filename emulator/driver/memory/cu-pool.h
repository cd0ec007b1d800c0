/* SPDX-License-Identifier: Apache-2.0 */
/* Memory pools as those see them who take memory of one, and who free it. */
#ifndef CGPU_EMULATOR_CU_POOL_H
#define CGPU_EMULATOR_CU_POOL_H

#include "emulator/driver/device/gpu.h"

struct mapping;

#define REUSE_RULES 3

struct CUmemPoolHandle_st {
	uint64_t magic;
	CUmemPoolProps props;
	cuuint64_t used, used_high, release_threshold;
	int reuse[REUSE_RULES];
	bool gone; /* destroyed: freed with its last memory */
};

bool cu_pool_valid(CUmemoryPool p);
/* The pool that a device has always, and the one that is taken when none is named. */
CUmemoryPool cu_pool_default(int device);
CUmemoryPool cu_pool_current(int device);
/* So many bytes are to be of the pool. OUT_OF_MEMORY: that is more than it may have. */
CUresult cu_pool_take(CUmemoryPool p, size_t size);
void cu_pool_give_back(CUmemoryPool p, size_t size);
/* The memory, of a pool or not, is free. */
void cu_pool_freed(const struct mapping *m);

#endif
