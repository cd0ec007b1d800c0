/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entries of earlier cells that use a device function or class which a cell defines anew. Functions of host code call each
 * other by the name, and so have the new one; an entry holds copies of what it calls. So it is compiled once more, with the
 * cell that has changed something for it.
 */
#ifndef CGPU_COMPILER_DEVICE_FOLLOW_H
#define CGPU_COMPILER_DEVICE_FOLLOW_H

#include <stdint.h>

#include "common/unit.h"

struct error;
struct host_text;
struct session;

struct device_followers {
	const struct declaration **at; /* the session's; of an instance of a template only the name has a text: k<float> */
	uint32_t n;
	uint32_t *items; /* of the cell: functions that functions of the session call, which stand in front of the cell */
	uint32_t n_items;
};

/* In the pool of h. -1: ERROR_MEMORY. */
int device_follow_find(const struct host_text *h, const struct session *session, struct device_followers *ret, struct error *err);

#endif
