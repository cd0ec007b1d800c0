/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A worker's request for device memory that other kernels want, too. The question is a message
 * (WORKER_DEVICE_ASK), the answer comes through the control area, since another thread of the cell
 * that waits for input may be reading the channel.
 */
#ifndef CGPU_COMMON_PROTOCOL_MEMORY_PERMIT_H
#define CGPU_COMMON_PROTOCOL_MEMORY_PERMIT_H

#include <stdbool.h>
#include <stdint.h>

struct memory_permit;

/* The worker's side: returns the number of the next question. There is one at a time. */
uint32_t memory_permit_next(struct memory_permit *p);
/* Waits for the answer. 1: granted; 0: refused, for the reason in p->why; -1: stop_waiting(), which
 * is called about ten times a second, returned true. */
int memory_permit_wait(struct memory_permit *p, uint32_t number, bool (*stop_waiting)(void));

/* The kernel's side: answers. why is for a refusal. */
void memory_permit_answer(struct memory_permit *p, uint32_t number, bool granted, const char *why);

#endif
