/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The check of synchronisation: an observer that finds barriers and operations between lanes that
 * are used as CUDA leaves undefined, and that the machine and most hardware carry out all the same,
 * in some way. What cannot go on at all is a fault of the machine: threads that wait for each other
 * at different barriers.
 */
#ifndef CGPU_EMULATOR_SYNC_H
#define CGPU_EMULATOR_SYNC_H

#include "emulator/warp/observer.h"

struct buffer;
struct sync;

/*
 * For one launch. warnings: also shuffles from a lane that takes no part, whose value is often not
 * used. budget: as in struct observer. NULL: out of memory.
 */
struct sync *sync_new(bool warnings, uint64_t budget);
void sync_free(struct sync *s);
struct observer *sync_observer(struct sync *s);

/*
 * After the launch l: append what was found in compute-sanitizer's shape; `fresh` as in
 * race_report(). Returns how many were told.
 */
uint32_t sync_report(struct sync *s, const struct machine_launch *l,
		     bool (*fresh)(void *data, const char *key), void *data, struct buffer *out);

#endif
