/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions to a worker that waits at its fault about the owner of an address, because only the
 * worker knows its heap. They go through the control area: a signal handler can read shared memory
 * but should not parse messages.
 */
#ifndef CGPU_COMMON_PROTOCOL_FAULT_QUESTIONS_H
#define CGPU_COMMON_PROTOCOL_FAULT_QUESTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct address_description;
struct worker_control;

/* The kernel's side: asks one question. 0, or -1 when no answer came within timeout_ms. */
int fault_questions_ask(struct worker_control *c, uint64_t address, int timeout_ms,
			struct address_description *ret);

/* The kernel's side: has the worker look whether it is done. */
void fault_questions_wake(struct worker_control *c);

/* The worker's side: answers questions until it is done; NULL: until the worker is killed. Safe in
 * signal handlers. */
void fault_questions_serve(struct worker_control *c,
			   void (*describe)(uint64_t address, struct address_description *ret),
			   bool (*is_done)(const struct worker_control *c));

#endif
