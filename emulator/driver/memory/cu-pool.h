/* SPDX-License-Identifier: Apache-2.0 */
/* Memory pools as who frees their memory sees them. */
#ifndef CGPU_EMULATOR_CU_POOL_H
#define CGPU_EMULATOR_CU_POOL_H

struct mapping;

/* The memory, of a pool or not, is free. */
void cu_pool_freed(const struct mapping *m);

#endif
