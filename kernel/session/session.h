/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of one notebook: sockets, ids, counters, declarations, history, the queues of cells. It
 * survives every worker. All of it runs on the event loop's thread, and nothing in it waits.
 */
#ifndef CGPU_KERNEL_SESSION_SESSION_H
#define CGPU_KERNEL_SESSION_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/comms/comm-inbox.h"
#include "kernel/comms/comms.h"
#include "kernel/declarations/cuda-groups.h"
#include "kernel/declarations/declarations.h"
#include "kernel/declarations/flags.h"
#include "kernel/declarations/setup.h"
#include "kernel/protocol/channels.h"
#include "kernel/protocol/publish.h"
#include "kernel/protocol/replay.h"
#include "kernel/session/gpu-card.h"
#include "kernel/session/input.h"
#include "kernel/session/output.h"
#include "kernel/session/subshells.h"
#include "kernel/session/time-limit.h"
#include "kernel/session/undo.h"
#include "kernel/session/usage.h"
#include "kernel/supervisor/supervisor.h"

struct buffer;
struct cell;
struct connection_file;
struct debugger;
struct error;
struct history;
struct loop;
struct loop_source;
struct options;
struct request;

/* The queues of execute_requests, see kernel/requests/execute.h. */
struct executor {
	struct subshells subshells;
	struct cell *current;
	struct comm_inbox inbox; /* messages for comms, which take turns with the cells */
	bool has_delivered;      /* the last turn was that of such a message */
	/* The last cell number that was given, in any subshell: In[3] names one cell. */
	uint32_t count;
	/* No next cell may start, since one is starting or a queue is being aborted. */
	bool held;
};

/* Upcalls of magics and others to the executor, which is in a higher folder. */
struct session_hooks {
	/* A magic that returned 1 is done; err is NULL on success. */
	void (*magic_done)(struct session *s, const struct error *err);
	/* The code of a cell that is shown instead of run has been displayed; err is NULL on
	 * success. */
	void (*looked)(struct session *s, const struct error *err);
	/* For a magic, which then returns 1: drops these names, each with its NUL, before the cell
	 * goes on. It is a step of its own for %undo. */
	void (*drop)(struct session *s, const struct buffer *names);
	/* Runs what waits for a comm, if its turn has come. */
	void (*deliver)(struct session *s);
	/* Interrupts the cell at work, whatever it does. */
	void (*interrupt)(struct session *s);
};

struct session {
	const struct options *options;
	const struct session_hooks *hooks; /* set by dispatch_start() */
	const struct connection_file *connection;
	struct loop *loop;
	struct supervisor *supervisor;
	struct channels *channels;
	struct history *history;
	struct wire wire;
	struct publisher publisher;
	struct replay replay;
	struct executor executor;
	struct output output;
	struct comms comms;
	struct input input;
	struct declarations declarations;
	struct undo undo;
	struct setup setup;
	struct usage usage;
	struct flags flags;
	struct cuda_groups cuda_groups;
	bool trace_all; /* %trace on */
	bool told_main; /* the user was told that main() does not run by itself */
	struct gpu_card gpu_card;
	struct time_limit time_limit;
	struct package_work *package_work; /* owned; NULL while no %pkg or %ldflags is at work */
	struct debugger *debugger; /* owned by kernel/debugger/; NULL before the first request */
	struct loop_source *sources[CHANNELS];
};

/* Initialises the session. Everything passed in is borrowed and must live longer, but the history,
 * which is the session's when this succeeds. */
int session_init(struct session *s, const struct options *options,
		 const struct connection_file *connection, struct loop *loop,
		 struct supervisor *supervisor, struct channels *channels, struct history *history,
		 struct error *err);
void session_release(struct session *s);
/* Tells the compiler the changes of s->declarations. */
void session_tell_declarations(struct session *s);

#endif
