/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions and annotations by which a unit's host code reaches the device, beside the CUDA
 * runtime; the worker's loader binds these names. The first part needs no header, the second one
 * <cuda_runtime_api.h>.
 *
 * Clang compiles a launch `k<<<g, b, sh, st>>>(a, n)` to __cudaPushCallConfiguration() and the
 * kernel's stub, which calls cudaLaunchKernel(). A variable of the device has a stand-in on the
 * host, whose address identifies it. The same definition run again initialises the variable again
 * and keeps its address.
 */
#ifndef CGPU_COMMON_LAUNCH_GLUE_H
#define CGPU_COMMON_LAUNCH_GLUE_H

#ifdef __cplusplus
extern "C" {
#endif

/* The annotation of a host variable that stands for one of the device: it has an address, but no
 * value. */
#define CGPU_STAND_IN "cgpu.device"
#define CGPU_STAND_IN_MARK "__attribute__((annotate(\"" CGPU_STAND_IN "\"))) "
/* The annotation of a function for both host and device. */
#define CGPU_FOR_BOTH "cgpu.both"
#define CGPU_FOR_BOTH_MARK "__attribute__((annotate(\"" CGPU_FOR_BOTH "\"))) "

/* The annotation of a lambda in device code whose body contains a launch. */
#define CGPU_LAUNCH_MARK "cgpu.launch"
#define CGPU_LAUNCH_BEGIN "CGPU_LAUNCH { "
#define CGPU_LAUNCH_END "; }()"

/* The annotations of a `__managed__` variable, and of a kernel with `__maxnreg__` or
 * `__cluster_dims__`. */
#define CGPU_MANAGED "cgpu.managed"
#define CGPU_REGISTERS "cgpu.registers"
#define CGPU_CLUSTER "cgpu.cluster"

/* Tells the runtime what the next allocation of this thread is for: the text of its first argument
 * ("&d_x") and the line. */
void cgpu_note(const char *argument, unsigned line);

#ifdef __CUDA_RUNTIME_API_H__

/* Returns the result of this thread's previous runtime call, and marks it as handled by the cell's
 * code. */
cudaError_t cgpu_looked_at(cudaError_t result);

#endif /* __CUDA_RUNTIME_API_H__ */

#ifdef __cplusplus
}
#endif

#endif
