/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fault as a core dump of a GPU, for cuda-gdb and whatever else reads NVIDIA's format
 * (cudacoredump.h of the cuda-gdb sources): one device with one multiprocessor, on which the block
 * and the warp that have faulted run, and the code of the kernel.
 */
#ifndef CGPU_EMULATOR_DUMP_WRITER_H
#define CGPU_EMULATOR_DUMP_WRITER_H

struct error;
struct gpu_fault;
struct machine_launch;

/* flags: CUCoredumpGenerationFlags that it was asked for with, for its metadata. */
int dump_write(const char *path, int flags, const struct gpu_fault *f,
	       const struct machine_launch *l, struct error *err);

#endif
