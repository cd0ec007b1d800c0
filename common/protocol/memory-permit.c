/* SPDX-License-Identifier: Apache-2.0 */
/* `answered` follows `asked`; the worker sleeps on a futex in between. */
#include "common/protocol/memory-permit.h"

#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#include "common/base/futex.h"
#include "common/protocol/worker-protocol.h"

#define LOOK_NS 100000000

uint32_t memory_permit_next(struct memory_permit *p)
{
	return atomic_fetch_add(&p->asked, 1) + 1;
}

int memory_permit_wait(struct memory_permit *p, uint32_t number, bool (*stop_waiting)(void))
{
	const struct timespec look = { .tv_nsec = LOOK_NS };
	uint32_t answered;

	while ((answered = atomic_load(&p->answered)) != number) {
		if (stop_waiting())
			return -1;
		futex_wait(&p->answered, answered, &look);
	}
	return p->granted != 0;
}

void memory_permit_answer(struct memory_permit *p, uint32_t number, bool granted, const char *why)
{
	snprintf(p->why, sizeof(p->why), "%s", why);
	p->granted = granted;
	atomic_store(&p->answered, number);
	futex_wake(&p->answered);
}
