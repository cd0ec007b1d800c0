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

#include "common/worker-protocol.h"
#include "kernel/supervisor/supervisor.h"

struct worker;

struct device_choosing {
	supervisor_device_chosen *fn; /* NULL: nothing is tried */
	void *data;
	enum worker_driver before;
	bool hung_before; /* pool.device_hangs */
};

/* A spare is ready. False: it is none that is to be used. */
bool device_choice_on_hello(struct supervisor *s, const struct worker *w);
/* The spare hangs in its driver. False: not in one that is tried. */
bool device_choice_on_hang(struct supervisor *s);
/* No spare can be had. */
void device_choice_on_no_worker(struct supervisor *s);

#endif
