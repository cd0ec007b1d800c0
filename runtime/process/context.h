/* SPDX-License-Identifier: Apache-2.0 */
/* The registers of an interrupted thread that signal handlers look at, for each architecture.
 * `context` is the third argument of an SA_SIGINFO handler. All are async-signal-safe. */
#ifndef CGPU_RUNTIME_PROCESS_CONTEXT_H
#define CGPU_RUNTIME_PROCESS_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

uint64_t context_pc(const void *context);
uint64_t context_sp(const void *context);
/* The return address of a function that has just been called; the stack must be readable. */
uint64_t context_return_address(const void *context);
/* The frame pointer, which all code of cells has. */
uint64_t context_frame(const void *context);
/* The thread goes on there. */
void context_set_pc(void *context, uint64_t pc);
/* The thread gets SIGTRAP behind the next instruction, or not any more. Does nothing where the
 * processor leaves that to the system's debugger: see DEBUG_STOPS. */
void context_set_step(void *context, bool on);
/* All FAULT_REGISTERS (common/protocol/worker-protocol.h) by their DWARF numbers. */
void context_registers(const void *context, uint64_t *ret);

#endif
