/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the CUDA runtime API and of the launch glue by name. */
#ifndef CGPU_RUNTIME_CUDA_EXPORTS_CUDART_TABLE_H
#define CGPU_RUNTIME_CUDA_EXPORTS_CUDART_TABLE_H

/* NULL: there is none. */
void *cudart_table_find(const char *name);

/* The function of a name that ends in _ptsz: cudart-per-thread.c. NULL: there is none. */
void *cudart_per_thread(const char *name);

#endif
