/* SPDX-License-Identifier: Apache-2.0 */
/* One question at a time: `asked` counts questions, `answered` follows it. Both sides sleep on a
 * futex. */
#include "common/protocol/fault-questions.h"

#include <stdatomic.h>
#include <time.h>

#include "common/base/clock.h"
#include "common/base/futex.h"
#include "common/protocol/worker-protocol.h"

int fault_questions_ask(struct worker_control *c, uint64_t address, int timeout_ms,
			struct address_description *ret)
{
	struct fault_questions *q = &c->questions;
	int64_t end = clock_now_ms() + timeout_ms, left;
	uint32_t number = atomic_load(&q->asked) + 1, answered;

	q->address = address;
	atomic_store(&q->asked, number);
	futex_wake(&q->asked);
	while ((answered = atomic_load(&q->answered)) != number) {
		left = end - clock_now_ms();
		if (left <= 0)
			return -1;
		futex_wait(&q->answered, answered,
			   &(struct timespec){ .tv_sec = left / 1000,
					       .tv_nsec = left % 1000 * 1000000 });
	}
	*ret = q->answer;
	return 0;
}

void fault_questions_wake(struct worker_control *c)
{
	atomic_fetch_add(&c->questions.asked, 1);
	futex_wake(&c->questions.asked);
}

void fault_questions_serve(struct worker_control *c,
			   void (*describe)(uint64_t address, struct address_description *ret),
			   bool (*is_done)(const struct worker_control *c))
{
	struct fault_questions *q = &c->questions;
	uint32_t number;

	for (;;) {
		/* Before it is known to be done or not: whatever comes later is another number. */
		number = atomic_load(&q->asked);
		if (is_done && is_done(c))
			return;
		if (number == atomic_load(&q->answered)) {
			futex_wait(&q->asked, number, NULL);
			continue;
		}
		describe(q->address, &q->answer);
		atomic_store(&q->answered, number);
		futex_wake(&q->answered);
	}
}
