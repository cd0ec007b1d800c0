/* SPDX-License-Identifier: Apache-2.0 */
/* A worker that stands sleeps on the futex of fault-questions.h, so resuming it is a question, too:
 * one whose answer nobody waits for. */
#include "common/protocol/debug-stop.h"

#include "common/protocol/fault-questions.h"
#include "common/protocol/worker-protocol.h"

void debug_stop_resume(struct worker_control *c, enum debug_command command)
{
	c->debug.command = command;
	atomic_store(&c->debug.resumed, atomic_load(&c->debug.stops));
	fault_questions_wake(c);
}

static bool is_resumed(const struct worker_control *c)
{
	return atomic_load(&c->debug.resumed) == atomic_load(&c->debug.stops);
}

enum debug_command debug_stop_await(struct worker_control *c,
				    void (*describe)(uint64_t address,
						     struct address_description *ret))
{
	fault_questions_serve(c, describe, is_resumed);
	return c->debug.command < DEBUG_COMMANDS ? (enum debug_command)c->debug.command
						 : DEBUG_CONTINUE;
}
