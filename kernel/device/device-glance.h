/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What can be told of the devices without asking anybody: what the worker keeps written down for it
 * (common/protocol/device-watch.h), and the list of the machine's notebooks as it is at the moment.
 */
#ifndef CGPU_KERNEL_DEVICE_DEVICE_GLANCE_H
#define CGPU_KERNEL_DEVICE_DEVICE_GLANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/protocol/device-watch.h"

struct buffer;
struct error;
struct supervisor;

#define DEVICE_GLANCE_UUID_SIZE 16

struct device_glance {
	char name[128];
	bool emulated;
	uint8_t uuid[DEVICE_GLANCE_UUID_SIZE]; /* of the first device */
	uint32_t worker;                       /* busy_ns is that of another one when this is */
	uint64_t used, limit;
	uint64_t busy_ns; /* of an emulated device: how long launches have been running, until at_ns
			   */
	uint64_t at_ns;
	struct device_watch_table table;
};

/*
 * At any time; nothing waits for it. From here on the worker keeps its table for us. False: there
 * is no worker at the moment; what cannot be read now stays in *ret.
 */
bool device_glance_take(struct supervisor *s, struct device_glance *ret);
/* Of the last worker that has told. */
bool device_glance_is_emulated(const struct supervisor *s);
/* Which notebooks hold memory of the devices, lines; nothing when it is this one alone. Without the
 * lock of the list. */
int device_glance_share(struct supervisor *s, struct buffer *out, struct error *err);

#endif
