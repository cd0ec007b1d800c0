/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages of front ends that wait for their turn among the cells. What a user does in a browser
 * while a cell runs is many messages, so updates of one widget are folded into the last of them;
 * the queue is bounded.
 */
#ifndef CGPU_KERNEL_COMMS_COMM_INBOX_H
#define CGPU_KERNEL_COMMS_COMM_INBOX_H

#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "common/memory/comm-table.h"

struct comm;
struct request;

#define COMM_INBOX_MAX 512u
#define COMM_INBOX_BYTES (64u * 1024 * 1024)

struct delivery {
	struct delivery *next;
	/* The one that the answer is for: of an update that was folded the last; not owned. */
	struct request *request;
	uint8_t action; /* enum comm_action */
	char id[COMM_ID_SIZE];
	char target[COMM_TARGET_SIZE];
	json_t *data;  /* owned */
	uint64_t told; /* of the comm when this came */
	size_t bytes;
};

struct comm_inbox {
	struct delivery *first, *last;
	unsigned n;
	size_t bytes;
};

/*
 * Adds a message of so many bytes; data is borrowed. Returns a request that is over: an earlier one
 * of the same widget, or this one when there is no room for it; NULL: none is.
 */
struct request *comm_inbox_add(struct comm_inbox *inbox, struct request *request, uint8_t action,
			       const struct comm *comm, json_t *data, size_t bytes);
/* Takes the first one; NULL: there is none. */
struct delivery *comm_inbox_take(struct comm_inbox *inbox);
/* Does not end the request; NULL is allowed. */
void delivery_free(struct delivery *d);

#endif
