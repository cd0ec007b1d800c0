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

/* Which driver the next worker is to use. */
void device_home_ask(const struct supervisor *s, struct worker_device *ret);
/* False: the spare has begun with another driver than that of the session, and cannot take it over.
 */
bool device_home_has(const struct supervisor *s, const struct worker *w);
/* The devices whose memory the session has, as WORKER_ATTACH carries them. */
void device_home_encode(const struct supervisor *s, struct buffer *out);
/* Is memory that does not come given up by the worker that gets the session now? */
bool device_home_gives_up(const struct supervisor *s);
/* A worker has got the session, with its device or without. False: another one is to have it. */
bool device_home_on_attached(struct supervisor *s, const struct worker *w, bool has_device);
/* `%gpu reset`. */
void device_home_retry(struct supervisor *s);

/* The session holds device memory, as it is or as it was, that no worker can reach. */
bool device_home_is_missed(struct supervisor *s);

#endif
