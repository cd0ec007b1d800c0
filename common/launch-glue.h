/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the code of a unit calls on the host to reach the device, beside the CUDA runtime; the
 * worker's loader binds these names. The first part needs no header, the second one
 * <cuda_runtime_api.h>.
 *
 * Launches are what clang makes of `k<<<g, b, sh, st>>>(a, n)`: __cudaPushCallConfiguration() and
 * the kernel's stub, which calls cudaLaunchKernel(). A variable of the device has a stand-in on the
 * host, whose address names it. The same definition run again initialises the variable again and
 * keeps its address.
 */
#ifndef CGPU_COMMON_LAUNCH_GLUE_H
#define CGPU_COMMON_LAUNCH_GLUE_H

#ifdef __cplusplus
extern "C" {
#endif

/* What a variable of the host is annotated with that stands for one of the device: it has an
 * address, and no value. */
#define CGPU_STAND_IN "cgpu.device"
#define CGPU_STAND_IN_MARK "__attribute__((annotate(\"" CGPU_STAND_IN "\"))) "
/* And a function that is for the device, too. */
#define CGPU_FOR_BOTH "cgpu.both"
#define CGPU_FOR_BOTH_MARK "__attribute__((annotate(\"" CGPU_FOR_BOTH "\"))) "

/* And a lambda in device code that launches a kernel, in whose body the launch stands. */
#define CGPU_LAUNCH_MARK "cgpu.launch"
#define CGPU_LAUNCH_BEGIN "CGPU_LAUNCH { "
#define CGPU_LAUNCH_END "; }()"

/* And a variable that is `__managed__`, a kernel with `__maxnreg__` or `__cluster_dims__`. */
#define CGPU_MANAGED "cgpu.managed"
#define CGPU_REGISTERS "cgpu.registers"
#define CGPU_CLUSTER "cgpu.cluster"

/* Says what the next allocation of this thread is for: the text of its first argument ("&d_x") and
 * the line. */
void cgpu_note(const char *argument, unsigned line);

#ifdef __CUDA_RUNTIME_API_H__

/* Gives back the result of the call of the runtime API before it in this thread, which code of a
 * cell deals with. */
cudaError_t cgpu_looked_at(cudaError_t result);

#endif /* __CUDA_RUNTIME_API_H__ */

#ifdef __cplusplus
}
#endif

#endif
