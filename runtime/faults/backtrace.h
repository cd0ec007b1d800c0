/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who called whom, through units and libraries alike, by the unwind tables. Usable in a signal
 * handler as long as the interrupted code is not the unwinder or the dynamic linker itself; callers
 * that must not hang set a timer.
 */
#ifndef CGPU_RUNTIME_FAULTS_BACKTRACE_H
#define CGPU_RUNTIME_FAULTS_BACKTRACE_H

#include <stdbool.h>
#include <stdint.h>

struct fault_record;

struct backtrace_frame {
	uint64_t pc;  /* return address, but for the innermost frame */
	uint64_t cfa; /* stack pointer in this frame */
};

/* From the frame whose pc is `from` outwards (0: from the caller); how many frames were stored.
 * Ends at the cell's own run function. */
unsigned backtrace_collect(uint64_t from, struct backtrace_frame *ret, unsigned max);
/* The same into a fault record, with names, cells, offsets and the registers of the innermost
 * frames. context: of the signal handler when `from` is the interrupted instruction; NULL for none.
 */
void backtrace_record(uint64_t from, const void *context, struct fault_record *f);

/* The address is machine code of a unit. */
bool backtrace_in_unit(uint64_t pc);

/* A launch in C++ code calls such a function, which has the line of the CUDA kernel. */
bool backtrace_is_stub(const char *function);

/* The place at which unit code called malloc(), free() or what called them: offset in CODE of the
 * return address, 0: not found. It comes from cell_mode.caller, or else from a short look through
 * the stack: cheap, may err. */
uint32_t backtrace_allocation_site(void);

/* Line of the running cell that called into us, found by looking through the stack; 0: unknown.
 * Cheap, may err. */
uint32_t backtrace_caller_line(void);

#endif
