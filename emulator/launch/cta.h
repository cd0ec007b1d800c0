/* SPDX-License-Identifier: Apache-2.0 */
/* One cta in flight: memory for its warps, start, turns. A cta's memory is used again by the next
 * one of the worker. */
#ifndef CGPU_EMULATOR_CTA_H
#define CGPU_EMULATOR_CTA_H

#include "emulator/warp/warp.h"

enum cta_state {
	CTA_ENDED,
	CTA_GOING,    /* waits for its own other warps only */
	CTA_SPINNING, /* used up its turn in loops: maybe it waits for another cta */
	CTA_FAULT,    /* worker->fault says why */
};

/* Bytes of host memory that one cta of the launch takes. */
size_t cta_bytes(const struct launch *l);
/* NULL: out of memory. Constant rows are filled but for those of a certain cta. */
struct cta *cta_new(struct worker *k);
void cta_free(struct cta *c);
void cta_start(struct cta *c, struct worker *k, uint64_t linear);
/* Each warp that can run gets one turn. */
enum cta_state cta_turn(struct cta *c);
/* Fault with `kind` at the place where the cta is. */
void cta_fault(struct cta *c, enum gpu_fault_kind kind, const char *note);

#endif
