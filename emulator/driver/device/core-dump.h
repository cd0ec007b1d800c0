/* SPDX-License-Identifier: Apache-2.0 */
/* Core dumps of faults, as a program has asked for them. */
#ifndef CGPU_EMULATOR_CORE_DUMP_H
#define CGPU_EMULATOR_CORE_DUMP_H

#include "emulator/driver/device/gpu.h"

struct gpu_fault;
struct machine_launch;

/* Writes the dump, if one is wanted and the fault is one that a GPU would tell. */
void core_dump_write(const struct gpu_fault *f, const struct machine_launch *l);
/* Behind the dump the process is aborted, unless its program does not want that. */
void core_dump_abort(const struct gpu_fault *f);

/* Settings are read and changed for all contexts, as cuCoredumpGetAttribute() and
 * cuCoredumpSetAttribute() have it. */
CUresult core_dump_get(CUcoredumpSettings attribute, void *value, size_t *size);
CUresult core_dump_set(CUcoredumpSettings attribute, void *value, size_t *size);

#endif
