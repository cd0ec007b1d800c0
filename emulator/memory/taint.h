/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values that nobody has written. Loading such bytes is no mistake by itself: structs with gaps are
 * copied as a whole. So a load of unknown bytes taints its register, bit by bit, and what is worked
 * out from it. It is told when a tainted value decides which way a thread goes, is used as an
 * address, takes part in an atomic operation or is printed. A tainted value that is stored taints
 * the memory (shadow.h); a copy of it leaves the memory as unknown as the source.
 *
 * A frame with tainted registers has a second register file, one bit for each bit of the first, and
 * its worker is observed (observer.h) as long as there is such a frame. Loads and stores do their
 * part in their handlers, which call here when a shadow says so. Not followed: textures, matrices,
 * and memory that was known as a whole when its operation was first looked at.
 */
#ifndef CGPU_EMULATOR_TAINT_H
#define CGPU_EMULATOR_TAINT_H

#include "emulator/warp/warp.h"

/*
 * o is about to load bytes of which some are unknown. False: this warp was not observed; the
 * handler is to return NULL, and o is run again. True: the destination is tainted, go on.
 */
bool taint_loaded(struct warp *w, const struct op *o);
/* o stores values of a frame with tainted registers: mark in shadows which of the bytes are known
 * from here on. */
void taint_stored(struct warp *w, const struct op *o);
/* An atomic operation of the lanes is about to read unknown bytes. */
void taint_atomic(struct warp *w, const struct op *o, uint32_t lanes, const uint64_t *address,
		  uint32_t size, enum ptx_space space);
/* printf is about to print bytes of a lane's memory. */
void taint_printed(struct warp *w, const struct op *o, uint32_t lane, uint64_t address,
		   uint32_t size);
/* Arguments or results have been copied between the parameters of two frames. */
void taint_copy_params(struct machine_worker *k, uint32_t lane, const struct frame *from,
		       uint32_t from_offset, struct frame *to, uint32_t to_offset, uint32_t size);
/* The frame starts anew or is freed: no register of it is tainted. */
void taint_drop(struct machine_worker *k, struct frame *f);
/* The worker ends; its frames are gone. */
void taint_release(struct machine_worker *k);

#endif
