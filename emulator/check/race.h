/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The race check: an observer that finds accesses to the same bytes, one of them a write, that
 * nothing orders.
 *
 * Order. Within a block, barriers order what lies before and after them, and between lanes of a
 * warp each meeting does (bar.warp.sync, shfl.sync ...). Beyond that only synchronisation through
 * memory does: a strong or atomic write is a release when it says so or when a fence came before
 * it, behind the thread's last plain write; who reads it by a strong or atomic read acquires. A
 * launch has one clock that counts releases, and whoever acquires one knows everything that
 * happened before it, whichever thread did it. Vector clocks would know more exactly what is known,
 * and so find more; they would not find less of what is in order, so this reports no race where
 * there is none. Accesses that are strong on both sides never race.
 *
 * What is kept. For each word that is touched: the last write and two reads of different warps. A
 * word is 4 bytes until something smaller touches its page or the block's shared memory. Shared
 * memory is kept for one block between two barriers, and reads there are only noted until a write
 * comes, which mostly never happens. Global memory is kept for the launch, up to a limit; 16 words
 * that half a warp touches as a whole have one mark together, until something else touches them.
 *
 * What is not watched. Accesses to buffers that the launch only reads, and those by which each
 * thread touches places of its own (race-plan.h). The reports are the same.
 */
#ifndef CGPU_EMULATOR_RACE_H
#define CGPU_EMULATOR_RACE_H

#include "emulator/warp/observer.h"

struct buffer;
struct race;

struct race_options {
	bool warnings;   /* also report races between lanes of one warp, and of reads with atomic
			    writes */
	uint64_t budget; /* operations that are watched on each host thread; 0: all */
	bool unplanned; /* watch what cannot race, too: for tests, which find the same races then */
};

/* Numbers of what was reported. */
struct race_count {
	uint32_t errors, warnings;
	bool cut;     /* a limit was reached: the launch was not checked to its end */
	bool strayed; /* a pointer was moved to another buffer, to which accesses had not been
			 watched */
};

/* For one launch. NULL: out of memory. */
struct race *race_new(const struct race_options *o);
void race_free(struct race *r);
struct observer *race_observer(struct race *r);

/*
 * After the launch l: append what was found, errors first, in compute-sanitizer's shape. Asked with
 * a text that stands for the kernel and the two places, `fresh` may refuse what was reported
 * before; NULL: all is. Adds to *count.
 */
void race_report(struct race *r, const struct machine_launch *l,
		 bool (*fresh)(void *data, const char *key), void *data, struct buffer *out,
		 struct race_count *count);

#endif
