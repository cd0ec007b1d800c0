/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A session keeps the driver and the devices that it began with (struct device_home). A worker that
 * comes without them, because a driver does not start or because one piece of memory does not come,
 * is sent away for another one, once; if that comes without them, too, the session goes on without
 * a device and keeps all that it has of it.
 *
 *	              no device            no device
 *	 in reach  -------------> tried ------------------> out of reach
 *	    ^                       |                          |  each later worker tries it, too
 *	    +-----------------------+--------------------------+
 *	                   device, with all memory
 *
 * `%gpu reset` begins again at `in reach`, and there the second worker does without what it cannot
 * map, if its device works.
 */
#ifndef CGPU_KERNEL_DEVICE_DEVICE_HOME_H
#define CGPU_KERNEL_DEVICE_DEVICE_HOME_H

#include <stdbool.h>

struct buffer;
struct supervisor;
struct worker;
struct worker_device;

/* Chooses the driver of the next worker. */
void device_home_ask(const struct supervisor *s, struct worker_device *ret);
/* Tells whether the spare may take the session over; false: it has begun with another driver. */
bool device_home_has(const struct supervisor *s, const struct worker *w);
/* Appends the devices that have memory of the session, as WORKER_ATTACH carries them. checks: none,
 * for a worker that has copies on the emulated device. */
void device_home_encode(const struct supervisor *s, bool checks, struct buffer *out);
/* Tells whether the worker that gets the session gives up memory that it cannot map. */
bool device_home_gives_up(const struct supervisor *s);
/* A worker has got the session, with its device or without. False: the session must go to another
 * worker. */
bool device_home_on_attached(struct supervisor *s, const struct worker *w, bool has_device);
/* Starts again at `in reach`, for `%gpu reset`. */
void device_home_retry(struct supervisor *s);

/* Tells whether the session holds device memory, in its current or an earlier state, that no worker
 * can reach. */
bool device_home_is_missed(struct supervisor *s);

#endif
