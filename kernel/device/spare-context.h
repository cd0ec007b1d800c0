/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A spare has a context of the device, so that after a fault the next cell need not wait for one.
 * On a GPU a context takes some hundred megabytes. They are given to the cell that needs them:
 *
 *	                WORKER_DEVICE_SHORT: the spare is ended
 *	 with context ------------------------------------------> without: it takes one when it
 *	      ^                                                      |    gets the session
 *	      +------------------------------------------------------+
 *	        a spare is made when that cell is over, and the session has a quarter less than it
 *	        held and wanted then
 */
#ifndef CGPU_KERNEL_DEVICE_SPARE_CONTEXT_H
#define CGPU_KERNEL_DEVICE_SPARE_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct error;
struct loop_source;
struct record;
struct supervisor;
struct worker;

struct spare_context {
	/* Bytes that the session held and wanted when memory was short; 0: it never was. */
	uint64_t short_at;
	uint32_t cell;                /* the cell in which memory was short */
	uint32_t number;              /* of the question that waits for the spare's end */
	pid_t asker;                  /* the worker that waits for the answer */
	struct loop_source *deadline; /* NULL: nobody waits */
};

/* Tells whether the next spare starts without a context. */
bool spare_context_waits(const struct supervisor *s);
/*
 * Handles WORKER_DEVICE_SHORT. The answer comes when the spare is dead and the memory that the
 * worker has given back is closed, or when that takes too long.
 */
int spare_context_on_short(struct supervisor *s, struct worker *w, struct record *r,
			   struct error *err);
/* Answers if it is time: a worker has died, or memory was closed. */
void spare_context_look(struct supervisor *s);
void spare_context_release(struct supervisor *s);

#endif
