/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What front ends have of the session's comms. A cell changes comms in memory of the session, and
 * tells front ends by records, of the values of one widget a few times a second; at its end,
 * committed or rolled back, comms_settle() reads what the session has and publishes the difference.
 * So a cell that fails, %undo, %reset and a snapshot need nothing of their own. Front ends ask for
 * states here, and no worker is asked.
 */
#ifndef CGPU_KERNEL_COMMS_COMMS_H
#define CGPU_KERNEL_COMMS_COMMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "common/memory/comm-table.h"

struct error;
struct loop;
struct loop_source;
struct message;
struct publisher;
struct record;
struct supervisor;

struct comm {
	char id[COMM_ID_SIZE];
	char target[COMM_TARGET_SIZE];
	json_t *state;   /* of a widget, as front ends have it; what another one was opened with */
	uint64_t digest; /* of the session's state that `state` is; 0: not known */
	json_t *waiting; /* members that front ends are told a little later; NULL: none; owned */
	uint64_t told;   /* number of updates that front ends were sent */
	/* A front end has opened it, and the cell that takes it has not begun. */
	bool is_arriving;
	bool is_seen;   /* in the session's table */
	bool is_broken; /* its JSON is none, so front ends do not have it */
};

/* Comms by which front ends ask for all states; the oldest gives way. */
#define COMM_CONTROLS 16

struct comms {
	struct publisher *publisher;
	struct supervisor *supervisor;
	struct loop *loop;
	struct loop_source *timer;    /* runs while updates wait, and after one was sent */
	const struct message *parent; /* of the updates that wait; NULL: none does */
	struct comm **list;           /* in the order of opening; owned */
	size_t n;
	size_t charged; /* bytes of JSON of cells since the states were measured */
	bool is_full;   /* cells tell no states any more until the end of this one */
	char targets[COMM_TARGETS_MAX][COMM_TARGET_SIZE];
	size_t n_targets;
	char controls[COMM_CONTROLS][COMM_ID_SIZE];
	unsigned n_controls;         /* ever */
	char redirect[COMM_ID_SIZE]; /* the Output widget that shows what the cell prints; "" */
};

void comms_init(struct comms *c, struct publisher *publisher, struct supervisor *supervisor,
		struct loop *loop);
void comms_release(struct comms *c);

/* Is the text one that this kernel takes as the id of a comm? */
bool comms_is_id(const char *text);
struct comm *comms_find(const struct comms *c, const char *id);
bool comms_is_widget(const struct comm *comm);
/* Widgets whose content front ends make: the session does not have what they say. */
bool comms_is_output(const struct comm *comm);

/* Handles an OUTPUT_COMM record of the cell whose request is the parent. -1: what the user must
 * know. */
int comms_record(struct comms *c, struct record *r, const struct message *parent,
		 struct error *err);
/* Makes front ends show what the session has. */
void comms_settle(struct comms *c, const struct message *parent);
/* Nothing that follows is shown by an Output widget. */
void comms_end_redirect(struct comms *c, const struct message *parent);

/* A front end has opened a comm of a target that the session has. NULL: there is none, or there are
 * too many comms. data is borrowed. */
struct comm *comms_arrive(struct comms *c, const char *id, const char *target, json_t *data);
/* A front end has closed it. */
void comms_forget(struct comms *c, struct comm *comm);
/* Front ends have these members of the state, NULL: none; the session may have others. */
void comms_merge(struct comm *comm, json_t *members);
/* Tells other front ends what one has set. */
void comms_echo(struct comms *c, const struct message *parent, const struct comm *comm,
		json_t *members);

/* For questions of front ends. */
json_t *comms_info(const struct comms *c, const char *target); /* target "": all */
void comms_send_state(struct comms *c, const struct message *parent, const struct comm *comm);
void comms_add_control(struct comms *c, const char *id);
bool comms_is_control(const struct comms *c, const char *id);
void comms_send_states(struct comms *c, const struct message *parent, const char *control);
void comms_send_close(struct comms *c, const struct message *parent, const char *id);

/* For comms.c and comms-settle.c. */

/* What the cell has set is not told any more: comms_settle() tells what is kept. */
void comms_drop_waiting(struct comms *c);
/* Adds one that front ends do not know yet. state is taken over. NULL: there are too many. */
struct comm *comms_add(struct comms *c, const char *id, const char *target, json_t *state);
void comms_send_open(struct comms *c, const struct message *parent, const struct comm *comm);
/* Sends an update, or nothing for an object that is empty; members are taken over. */
void comms_send_update(struct comms *c, const struct message *parent, struct comm *comm,
		       json_t *members);

#endif
