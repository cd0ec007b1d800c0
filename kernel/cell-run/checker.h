/* SPDX-License-Identifier: Apache-2.0 */
/*
 * %%memcheck and %%racecheck in a session whose device is a GPU, which tells neither thread nor
 * line of a fault. The cell runs on the emulated device, from the state before it: the content of
 * the session's device memory is copied into memory that the emulated device takes for its own, the
 * worker is ended, and a worker of that device, the checker, is given the session. What the checker
 * does concerns nobody else: the GPU's memory stays in the kernel's hands, and when the cell has
 * ended the next worker takes it over as after any failed cell.
 *
 *	       a cell waits for the session      all is copied, the worker is ended
 *	NONE --------------------------> COPYING ----------------------------------> MOVED
 *	  ^                                 | the worker is lost                       | cell ended
 *	  +---------------------------------+------------------------------------------+
 */
#ifndef CGPU_KERNEL_CELL_RUN_CHECKER_H
#define CGPU_KERNEL_CELL_RUN_CHECKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "common/protocol/worker-protocol.h"

struct error;
struct fault_report;
struct ipc_message;
struct supervisor;
struct worker;

enum checker_phase { CHECKER_NONE, CHECKER_COPYING, CHECKER_MOVED };

struct checker_chunk {
	uint64_t id, size, address;
	uint64_t copied;
	int file; /* content of the chunk, and its memory on the emulated device */
};

struct checker {
	enum checker_phase phase;
	struct checker_chunk *chunks;
	size_t n, at;                /* the number of chunks; the chunk at work */
	uint32_t number;             /* the piece that was asked for */
	struct worker_device device; /* for the checker */
	char name[128];              /* of the GPU, for reports */
	/* Objects that the checker does not have: "open file notes.txt of In[3]". */
	struct buffer lost;
};

/*
 * Begins to move the session into a checker before WORKER_RUN of a checked cell, or refuses the
 * cell. False: the cell cannot begin yet; a later event starts it or has ended it.
 */
bool checker_before_run(struct supervisor *s);
void checker_on_message(struct supervisor *s, const struct ipc_message *m);
void checker_on_worker_lost(struct supervisor *s);
/* Tells whether the next worker must be a checker; *ret is its device. */
bool checker_is_wanted(const struct supervisor *s, struct worker_device *ret);
/* Sends the copies in place of the session's chunks. */
int checker_send_chunks(const struct supervisor *s, struct worker *w, struct error *err);
/* Ends the checking when the cell has ended. */
void checker_end(struct supervisor *s);

/* Adds to the report of a fault where the cell ran. */
void checker_add(const struct supervisor *s, struct fault_report *r);
/* Appends the same, as lines, for a cell that ran to its end. */
void checker_put_clean(const struct supervisor *s, struct buffer *out);

#endif
