/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The frames of a stack that may be millions deep, in a table of fixed size: calls that repeat in
 * the same order are kept once with their count; of what is still too long the middle is left out.
 * Allocates nothing.
 */
#ifndef CGPU_RUNTIME_FAULTS_BACKTRACE_FOLD_H
#define CGPU_RUNTIME_FAULTS_BACKTRACE_FOLD_H

#include <stdbool.h>
#include <stdint.h>

struct fault_record;

struct backtrace_fold {
	struct fault_record *record;
	uint32_t cycle_at; /* index of the cycle that is being repeated */
	uint32_t at;       /* next frame expected in it; only while folding */
	bool folding;
};

void backtrace_fold_init(struct backtrace_fold *f, struct fault_record *record);
/* The next frame outwards. Its index in the record, or -1 when it was folded away. */
int backtrace_fold_add(struct backtrace_fold *f, uint64_t pc);
/* After the last frame. */
void backtrace_fold_end(struct backtrace_fold *f);

/* So often has the cycle at work been seen; 0 outside of one. */
uint32_t backtrace_fold_times(const struct backtrace_fold *f);

#endif
