/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions of the front end to the compiler: completion, inspection, whether a text is complete. A
 * compiler process does one thing after the other, and nvcc takes half a minute, so while the first
 * one is at work on a cell a second one answers. It is started by the first question that needs it,
 * and ends when there has been none for a minute.
 */
#ifndef CGPU_KERNEL_WORKERS_QUESTION_COMPILER_H
#define CGPU_KERNEL_WORKERS_QUESTION_COMPILER_H

#include <stdint.h>

#include "kernel/workers/compiler-client.h"

struct supervisor;

struct question_compiler {
	struct compiler_client client; /* of the second process */
	struct loop_source *idle;      /* runs while there is one */
	unsigned idle_ms;              /* after which it ends */
};

/* Starts no process. The first compiler has its setup already: this one has the same. */
void question_compiler_init(struct supervisor *s);
void question_compiler_release(struct supervisor *s);

/* Asks the first compiler, or the second one while that is at work on a cell: see
 * compiler_client_ask(). */
int question_compiler_ask(struct supervisor *s, uint32_t type, const struct buffer *body,
			  compiler_answer *fn, void *data, struct error *err);
/* Tells all compilers something that has no answer. */
void question_compiler_tell(struct supervisor *s, uint32_t type, const struct buffer *body);

#endif
