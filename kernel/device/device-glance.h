/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts about the devices that are there without a question to anybody: the table that the worker
 * keeps up to date (common/protocol/device-watch.h), and the current list of the machine's
 * notebooks.
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
	/* Number of the worker that busy_ns belongs to; another number means another count. */
	uint32_t worker;
	uint64_t used, limit;
	/* For an emulated device: the total time of launches until at_ns. */
	uint64_t busy_ns;
	uint64_t at_ns;
	struct device_watch_table table;
};

/*
 * Reads the numbers at any time, without waiting. From the first call on the worker keeps its table
 * up to date. False: there is no worker at the moment; members of *ret that cannot be read stay as
 * they are.
 */
bool device_glance_take(struct supervisor *s, struct device_glance *ret);
/* Tells whether the device of the last worker that has told its device is emulated. */
bool device_glance_is_emulated(const struct supervisor *s);
/* Appends which notebooks hold memory of the devices, as lines; nothing when only this one does.
 * The lock of the list is not taken. */
int device_glance_share(struct supervisor *s, struct buffer *out, struct error *err);

#endif
