/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `%gpu use native` and `emulated`: which driver the workers to come use. A spare tries it first,
 * beside the worker that has the session; only when its device works is the session moved to it.
 * Device memory of one driver is nothing to another one, so a session that has some stays where it
 * is.
 */
#ifndef CGPU_KERNEL_DEVICE_DEVICE_CHOICE_H
#define CGPU_KERNEL_DEVICE_DEVICE_CHOICE_H

#include <stdbool.h>

#include "common/protocol/worker-protocol.h"

struct error;
struct supervisor;
struct worker;

/* problem: why the driver cannot be used, or "" and the name of the device. */
typedef void device_choice_done(void *data, const char *problem, const char *device);

struct device_choosing {
	device_choice_done *fn; /* NULL: nothing is tried */
	void *data;
	enum worker_driver before;
	bool hung_before; /* pool.device_hangs */
};

/*
 * Between cells: a worker tries the other driver; 0: fn()
 * follows from the loop, with why it cannot be used, and nothing has changed, or "" and the
 * device's name. ERROR_STATE: the session has device memory.
 */
int device_choice_start(struct supervisor *s, enum worker_driver choice, device_choice_done *fn,
			void *data, struct error *err);
void device_choice_cancel(struct supervisor *s);
enum worker_driver device_choice_now(const struct supervisor *s);

/* A spare is ready. False: it is none that is to be used. */
bool device_choice_on_hello(struct supervisor *s, const struct worker *w);
/* The spare hangs in its driver. False: not in one that is tried. */
bool device_choice_on_hang(struct supervisor *s);
/* No spare can be had. */
void device_choice_on_no_worker(struct supervisor *s);

#endif
