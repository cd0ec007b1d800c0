/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The processes that a cell makes. It may have CHILDREN_MAX of them at a time, its own worker among
 * them; those of an interrupted cell are ended with it.
 */
#ifndef CGPU_RUNTIME_PROCESS_CHILDREN_H
#define CGPU_RUNTIME_PROCESS_CHILDREN_H

#include <stdbool.h>

struct error;

#define CHILDREN_MAX 256

/* Memory shared with children, for the limit; once, in the worker. */
int children_init(struct error *err);
/* Before a fork, which it may wait for. False: there are too many; the cell is over. A child whose
 * cell is being ended does not return. */
bool children_admit(void);
/* A child is made other than by fork(). */
void children_note(void);
/* A child found that the cell has too many; it signals the worker, which ends the cell. For signal
 * handlers. */
bool children_too_many(void);
/* All children of an interrupted cell are ended, as the interrupt key of a terminal ends all of a
 * command. */
void children_end(void);

#endif
