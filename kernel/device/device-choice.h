/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `%gpu use native` and `emulated` choose the driver of the workers to come. A spare tries the
 * driver first, beside the worker that has the session; the session moves to the spare only if its
 * device works. Device memory of one driver means nothing to another one, so a session that has
 * some stays where it is.
 */
#ifndef CGPU_KERNEL_DEVICE_DEVICE_CHOICE_H
#define CGPU_KERNEL_DEVICE_DEVICE_CHOICE_H

#include <stdbool.h>

#include "common/protocol/worker-protocol.h"

struct error;
struct supervisor;
struct worker;

/* problem says why the driver cannot be used; with "" the device is named. */
typedef void device_choice_done(void *data, const char *problem, const char *device);

struct device_choosing {
	device_choice_done *fn; /* NULL: nothing is tried */
	void *data;
	enum worker_driver before;
	bool hung_before; /* pool.device_hangs */
};

/*
 * Lets a worker try the other driver, between cells. 0: fn() follows from the loop, with "" and the
 * device's name, or with the problem, and then nothing has changed. ERROR_STATE: the session has
 * device memory.
 */
int device_choice_start(struct supervisor *s, enum worker_driver choice, device_choice_done *fn,
			void *data, struct error *err);
void device_choice_cancel(struct supervisor *s);
enum worker_driver device_choice_now(const struct supervisor *s);

/* Takes the hello of a spare. False: this spare must not be used. */
bool device_choice_on_hello(struct supervisor *s, const struct worker *w);
/* The spare hangs in its driver. False: that driver is not one that is tried. */
bool device_choice_on_hang(struct supervisor *s);
/* No spare can be had. */
void device_choice_on_no_worker(struct supervisor *s);

#endif
