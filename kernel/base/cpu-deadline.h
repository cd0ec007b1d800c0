/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long a process had to do what it was asked for. On a loaded machine one that is healthy may
 * get no processor for seconds: time in which it wanted one and got none is not counted, so it is
 * not taken for one that hangs.
 */
#ifndef CGPU_KERNEL_BASE_CPU_DEADLINE_H
#define CGPU_KERNEL_BASE_CPU_DEADLINE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* A peer that nothing is known of is waited for so long, at most. */
#define CPU_DEADLINE_END_MS 60000u

enum cpu_deadline_kind {
	CPU_DEADLINE_ANSWER, /* its first thread is to do something: counts while that runs or
				sleeps */
	CPU_DEADLINE_DEATH,  /* it was killed: counts while all of its threads sleep inside Linux */
};

struct cpu_deadline {
	pid_t pid;
	enum cpu_deadline_kind kind;
	uint64_t began_ms, looked_ms;
	uint64_t used_ms;
	uint64_t cpu_ns; /* of the threads in question, at the last look */
};

void cpu_deadline_begin(struct cpu_deadline *p, pid_t pid, enum cpu_deadline_kind kind);

/*
 * Looks at the process; milliseconds that count so far. What lies between two looks counts as a
 * whole or not at all, and as CPU_DEADLINE_LOOK_MS at most, since the caller itself may have had no
 * processor. More than any limit once CPU_DEADLINE_END_MS have passed.
 */
uint64_t cpu_deadline_used_ms(struct cpu_deadline *p);

#define CPU_DEADLINE_LOOK_MS 100u

#endif
