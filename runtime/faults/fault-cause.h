/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The faulting instruction and the process's map tell about a fault: the operands of a division,
 * which trap it was, the file behind an address. All functions are for signal handlers: no locks,
 * no memory. Each writes one clause, "" when it knows nothing.
 */
#ifndef CGPU_RUNTIME_FAULTS_FAULT_CAUSE_H
#define CGPU_RUNTIME_FAULTS_FAULT_CAUSE_H

#include <stddef.h>
#include <stdint.h>

/* "integer division by zero: 7 / 0". context: of the SIGFPE. */
void fault_cause_division(const void *context, char *ret, size_t size);
/* The instruction that has raised a SIGILL or SIGTRAP is named. */
void fault_cause_trap(const void *context, char *ret, size_t size);
/* Path of the file that is mapped at the address. */
void fault_cause_file(uint64_t address, char *ret, size_t size);

#endif
