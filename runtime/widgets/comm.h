/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One comm of the session: a block of the session's heap, and its row in the table that the kernel
 * process reads (common/memory/comm-table.h). What a cell changes is in both; front ends are told
 * by a record at once, and by the kernel process at the end of the cell.
 */
#ifndef CGPU_RUNTIME_WIDGETS_COMM_H
#define CGPU_RUNTIME_WIDGETS_COMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/cell-widgets.h"
#include "common/memory/comm-table.h"
#include "common/protocol/comm-message.h"
#include "runtime/widgets/json-object.h"

struct buffer;
struct error;

enum widget_kind {
	WIDGET_NONE, /* a comm that is no widget */
#define WIDGET(symbol, word, module, version, model, view, value) WIDGET_##symbol,
#include "runtime/widgets/widget-kinds.def"
#undef WIDGET
};

struct cgpu_comm {
	uint64_t form; /* COMM_FORM */
	char id[COMM_ID_SIZE];
	uint32_t kind; /* enum widget_kind */
	uint32_t pad;
	char *state; /* JSON */
	char *text;  /* the value as text; NULL: it has none */
	char *got;   /* what cgpu_widget_get() has returned */
	double number;
	char output[COMM_ID_SIZE]; /* the Output widget of its callbacks, or "" */
};

#define COMM_FORM (0x63677075636d0000ull + sizeof(struct cgpu_comm))

/* Opens a comm with this JSON, which was checked; id NULL: a new one, and front ends are told.
 * NULL: there is no room. */
cgpu_comm *comm_new(enum widget_kind kind, const char *id, const char *target, const char *json,
		    struct error *err);
/* 0, -1: it is none that is open. Reads nothing of it before it is known. */
int comm_check(const cgpu_comm *c, struct error *err);
void comm_free(cgpu_comm *c);
/* The row of an open comm; NULL: there is none. Until the next comm_new(). */
struct comm_row *comm_row(const cgpu_comm *c);
/* By its id; NULL: there is none. */
cgpu_comm *comm_find(const char *id);
/* Front ends cannot send to it any more; the block stays. */
void comm_leave(cgpu_comm *c);

/* Sets members of the state; told: also to front ends. */
int comm_set(cgpu_comm *c, const char *members, bool told, struct error *err);

/* The entry of a target, NULL: none, or there is no room for a new one. */
struct comm_target *comm_target(const char *name, bool make);

/* In place of a function's address: that of this program is another one in the next worker. */
#define COMM_CALL_INTERACT 1

struct comm_call comm_call_of(void *function, void *data);
/* The function as the session has it now; NULL: there is none. */
void *comm_call_function(const struct comm_call *call);

/* Writes a record for front ends. */
int comm_tell(const struct comm_message *m, struct error *err);
/* What is printed from here on goes to the Output widget with this id, "": below the cell. */
void comm_redirect(const char *id);

/* Numbers for the shape of what lies in the session (runtime/arena/layout-hash.h). */
uint64_t comm_layout(uint64_t hash);

#endif
