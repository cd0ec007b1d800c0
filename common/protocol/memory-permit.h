/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A worker asks before it takes device memory that other kernels want, too. The question is a
 * message (WORKER_DEVICE_ASK), the answer comes through the control area: the channel may be read
 * by another thread of the cell, which waits for input.
 */
#ifndef CGPU_COMMON_PROTOCOL_MEMORY_PERMIT_H
#define CGPU_COMMON_PROTOCOL_MEMORY_PERMIT_H

#include <stdbool.h>
#include <stdint.h>

struct memory_permit;

/* The worker's side: the number of the next question. One at a time. */
uint32_t memory_permit_next(struct memory_permit *p);
/* 1 granted, 0 refused: p->why says why; -1: stop_waiting() was true, which is asked some ten times
 * a second. */
int memory_permit_wait(struct memory_permit *p, uint32_t number, bool (*stop_waiting)(void));

/* The kernel's side. why: for refused ones. */
void memory_permit_answer(struct memory_permit *p, uint32_t number, bool granted, const char *why);

#endif
