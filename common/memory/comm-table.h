/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The comms of a session as the kernel process reads them from committed memory, by
 * ARENA_ROOT_COMMS: a table in META, with a row for each comm in the order in which they were
 * opened. So comms roll back with the session, and whatever state it goes to, what front ends show
 * can be compared with it. The kernel process trusts nothing of it.
 */
#ifndef CGPU_COMMON_MEMORY_COMM_TABLE_H
#define CGPU_COMMON_MEMORY_COMM_TABLE_H

#include <stdint.h>

#define COMMS_MAX 1024u
#define COMM_TARGETS_MAX 32u
/* A front end names its comms by a UUID. */
#define COMM_ID_SIZE 40
#define COMM_TARGET_SIZE 64
/* Bytes of JSON that one comm may have as its state, those of all, and those of one message with
 * its buffers. The kernel process has all states as objects, which take several times the text. */
#define COMM_STATE_MAX (4u * 1024 * 1024)
#define COMM_STATES_MAX (16u * 1024 * 1024)
#define COMM_MESSAGE_MAX (32u * 1024 * 1024)

/* The target whose comms are widgets: they have a state. Others have what they were opened with. */
#define COMM_WIDGET_TARGET "jupyter.widget"

/* A function of a cell, for the worker alone. */
struct comm_call {
	uint64_t function; /* its address when it was given, 0: there is none */
	uint64_t symbol; /* the struct symbol of that function; 0: it has no name in the session */
	uint64_t data;   /* its last argument */
};

struct comm_row {
	char id[COMM_ID_SIZE];
	char target[COMM_TARGET_SIZE];
	uint64_t state; /* address of its JSON */
	uint64_t state_len;
	uint64_t digest; /* of the JSON: another one, another state */
	uint64_t handle; /* address of the struct that cells have, for the worker alone */
	struct comm_call change, message;
};

struct comm_target {
	char name[COMM_TARGET_SIZE];
	struct comm_call open;
};

struct comm_table {
	uint32_t n;
	uint32_t cap;
	uint32_t n_targets;
	uint32_t pad;
	struct comm_target targets[COMM_TARGETS_MAX];
	struct comm_row rows[];
};

#endif
