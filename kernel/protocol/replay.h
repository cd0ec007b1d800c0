/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The outputs of the last cells, to be shown again: a browser that is reloaded, or whose connection
 * breaks, misses what is published meanwhile. Kept are at most REPLAY_CELLS cells with REPLAY_BYTES
 * of outputs; of a cell that has more, the first go. An update of a display, and clear_output(),
 * do here what they do in a front end, so what is kept is what is seen.
 */
#ifndef CGPU_KERNEL_PROTOCOL_REPLAY_H
#define CGPU_KERNEL_PROTOCOL_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#define REPLAY_CELLS 64u
#define REPLAY_BYTES (16u << 20)

struct message;

enum replay_kind {
	REPLAY_STREAM,
	REPLAY_DISPLAY, /* or a result */
	REPLAY_ERROR
};

struct replay_output {
	enum replay_kind kind;
	json_t *content; /* of the message; a reference */
	size_t bytes;
};

struct replay_cell {
	uint32_t number;               /* execution count */
	struct replay_output *outputs; /* in order; owned */
	size_t n, cap;
	bool is_cut;        /* the first outputs are not here */
	bool clear_at_next; /* clear_output(wait) */
};

struct replay {
	struct replay_cell cells[REPLAY_CELLS]; /* a ring */
	unsigned n_begun;                       /* ever */
	char parent[64];                        /* message id of the cell that was begun last */
	size_t bytes;
};

void replay_release(struct replay *r);
/* Keeps a message that is published, if it is an output of the cell that was begun last; an
 * execute_input begins one. */
void replay_note(struct replay *r, const struct message *parent, const char *type, json_t *content);
/* Returns the last cell with this number, 0: the one before the last that was begun; NULL: it is
 * not kept. */
const struct replay_cell *replay_find(const struct replay *r, uint32_t number);
/* Returns the number of the oldest cell that is kept; 0: there is none. */
uint32_t replay_oldest(const struct replay *r);

#endif
