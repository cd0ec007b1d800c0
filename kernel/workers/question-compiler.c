/* SPDX-License-Identifier: Apache-2.0 */
/* The second process has its own precompiled headers to read, so the first answers whenever it is
 * free: it has them in memory. */
#include "kernel/workers/question-compiler.h"

#include "common/base/buffer.h"
#include "common/protocol/compiler-protocol.h"
#include "kernel/base/loop.h"
#include "kernel/core/supervisor-state.h"

#define IDLE_MS 60000
#define QUESTION_MS 10000 /* processor time for an answer */

void question_compiler_init(struct supervisor *s)
{
	struct question_compiler *q = s->questions;

	compiler_client_init(&q->client, &s->compiler->setup, s->language, s->declarations);
	q->idle_ms = IDLE_MS;
}

void question_compiler_release(struct supervisor *s)
{
	struct question_compiler *q = s->questions;

	if (q->idle)
		loop_remove(s->loop, q->idle);
	q->idle = NULL;
	compiler_client_release(&q->client);
}

static void on_idle(void *data);

static void watch_idle(struct supervisor *s)
{
	struct question_compiler *q = s->questions;

	if (q->idle)
		loop_remove(s->loop, q->idle);
	q->idle = loop_add_timer(s->loop, q->idle_ms, on_idle, s);
}

static void on_idle(void *data)
{
	struct supervisor *s = data;
	struct question_compiler *q = s->questions;

	q->idle = NULL;
	if (compiler_client_is_at_work(&q->client))
		watch_idle(s);
	else
		compiler_client_end(&q->client);
}

int question_compiler_ask(struct supervisor *s, uint32_t type, const struct buffer *body,
			  compiler_answer *fn, void *data, struct error *err)
{
	struct compiler_client *c = s->compiling ? &s->questions->client : s->compiler;

	if (compiler_client_ask(c, type, body, QUESTION_MS, fn, data, err))
		return -1;
	if (c != s->compiler)
		watch_idle(s);
	return 0;
}

void question_compiler_tell(struct supervisor *s, uint32_t type, const struct buffer *body)
{
	compiler_client_tell(s->compiler, type, body);
	compiler_client_tell(&s->questions->client, type, body);
}
