/* SPDX-License-Identifier: Apache-2.0 */
/* Core dumps of faults, as a program has asked for them. */
#ifndef CGPU_EMULATOR_CU_COREDUMP_H
#define CGPU_EMULATOR_CU_COREDUMP_H

struct gpu_fault;
struct machine_launch;

/* Writes the dump, if one is wanted and the fault is one that a GPU would tell. */
void cu_coredump_write(const struct gpu_fault *f, const struct machine_launch *l);
/* Behind the dump the process is aborted, unless its program does not want that. */
void cu_coredump_abort(const struct gpu_fault *f);

#endif
