/* SPDX-License-Identifier: Apache-2.0 */
/* The registers of an interrupted thread that signal handlers look at, for each architecture.
 * `context` is the third argument of an SA_SIGINFO handler. All are async-signal-safe. */
#ifndef CGPU_RUNTIME_PROCESS_CONTEXT_H
#define CGPU_RUNTIME_PROCESS_CONTEXT_H

#include <stdint.h>

uint64_t context_pc(const void *context);
uint64_t context_sp(const void *context);
/* The return address of a function that has just been called; the stack must be readable. */
uint64_t context_return_address(const void *context);
/* All FAULT_REGISTERS (common/protocol/worker-protocol.h) by their DWARF numbers. */
void context_registers(const void *context, uint64_t *ret);

#endif
