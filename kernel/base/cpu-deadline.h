/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A deadline for a process that does not count time without a processor. On a loaded machine a
 * healthy process may get no processor for seconds; since only time in which it ran or slept
 * counts, it is not mistaken for one that hangs.
 */
#ifndef CGPU_KERNEL_BASE_CPU_DEADLINE_H
#define CGPU_KERNEL_BASE_CPU_DEADLINE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The longest time to wait for a peer, counted or not. */
#define CPU_DEADLINE_END_MS 60000u

enum cpu_deadline_kind {
	/* For an answer of its first thread: counts while that thread runs or sleeps. */
	CPU_DEADLINE_ANSWER,
	/* For the end of a killed process: counts while all of its threads sleep inside Linux. */
	CPU_DEADLINE_DEATH,
};

struct cpu_deadline {
	pid_t pid;
	enum cpu_deadline_kind kind;
	uint64_t began_ms, looked_ms;
	uint64_t used_ms;
	uint64_t cpu_ns; /* of the threads that count, at the last look */
};

void cpu_deadline_begin(struct cpu_deadline *p, pid_t pid, enum cpu_deadline_kind kind);

/*
 * Looks at the process and returns the milliseconds that count so far. The time between two looks
 * counts as a whole or not at all, and as CPU_DEADLINE_LOOK_MS at most, since the caller itself may
 * have had no processor. The result exceeds any limit once CPU_DEADLINE_END_MS have passed.
 */
uint64_t cpu_deadline_used_ms(struct cpu_deadline *p);

#define CPU_DEADLINE_LOOK_MS 100u

#endif
