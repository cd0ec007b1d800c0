/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long a process had to do what it was asked for. On a loaded machine one that is healthy may
 * get no processor for seconds: time in which it wanted one and got none is not counted, so it is
 * not taken for one that hangs.
 */
#ifndef CGPU_KERNEL_BASE_PATIENCE_H
#define CGPU_KERNEL_BASE_PATIENCE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* A peer that nothing is known of is waited for so long, at most. */
#define PATIENCE_END_MS 60000u

enum patience_kind {
	PATIENCE_ANSWER, /* its first thread is to do something: counts while that runs or sleeps */
	PATIENCE_DEATH,  /* it was killed: counts while all of its threads sleep inside Linux */
};

struct patience {
	pid_t pid;
	enum patience_kind kind;
	uint64_t began_ms, looked_ms;
	uint64_t used_ms;
	uint64_t cpu_ns; /* of the threads in question, at the last look */
};

void patience_begin(struct patience *p, pid_t pid, enum patience_kind kind);

/*
 * Looks at the process; milliseconds that count so far. What lies between two looks counts as a
 * whole or not at all, and as PATIENCE_LOOK_MS at most, since the caller itself may have had no
 * processor. More than any limit once PATIENCE_END_MS have passed.
 */
uint64_t patience_used_ms(struct patience *p);

#define PATIENCE_LOOK_MS 100u

#endif
