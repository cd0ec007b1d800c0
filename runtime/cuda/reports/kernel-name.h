/* SPDX-License-Identifier: Apache-2.0 */
/* Names of CUDA kernels as reports have them. */
#ifndef CGPU_RUNTIME_CUDA_REPORTS_KERNEL_NAME_H
#define CGPU_RUNTIME_CUDA_REPORTS_KERNEL_NAME_H

struct buffer;

/*
 * The name of a CUDA kernel as the user knows it. Of C++ kernels the name with its namespaces,
 * _Z4axpyPf, _ZN3geo4axpyEPf; what else there is stays mangled.
 */
void kernel_name_put(const char *ptx_name, struct buffer *out);

#endif
