/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the runtime API that are there only to say that they are not supported. */
#ifndef CGPU_RUNTIME_CUDA_EXPORTS_CUDART_UNSUPPORTED_H
#define CGPU_RUNTIME_CUDA_EXPORTS_CUDART_UNSUPPORTED_H

/* The function that a cell is linked to for that name; NULL: it is none of them. */
void *cudart_unsupported(const char *name);

#endif
