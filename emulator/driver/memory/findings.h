/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings of the memory checks are no faults: each is told once for its place of the code, on
 * stderr, and the program goes on.
 */
#ifndef CGPU_EMULATOR_FINDINGS_H
#define CGPU_EMULATOR_FINDINGS_H

#include <stdbool.h>
#include <stdint.h>

struct gpu_fault;

/* An uninitialised read of device code. */
void findings_tell(void *data, const struct gpu_fault *f);
/* The host is about to copy these bytes of device memory to itself. */
void findings_host_read(const char *call, uint64_t address, uint64_t size);
/* How the calling thread's calls of the driver are named, NULL: as they are; and the name for one
 * of them. */
void findings_set_call(const char *name);
const char *findings_call(const char *driver_call);
/* Not 0: the calling thread's copies to the host are not looked at. */
void findings_quiet(int on);
bool findings_are_quiet(void);
/* Whatever was told may be told again: a new cell begins. */
void findings_forget(void);

#endif
