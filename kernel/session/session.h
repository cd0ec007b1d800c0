/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What one notebook is: sockets, ids, counters, declarations, history, the queue of cells. It
 * survives every worker. All of it runs on the event loop's thread, and nothing in it waits.
 */
#ifndef CGPU_KERNEL_SESSION_SESSION_H
#define CGPU_KERNEL_SESSION_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/protocol/channels.h"
#include "kernel/protocol/publish.h"
#include "kernel/session/declarations.h"
#include "kernel/session/execute.h"
#include "kernel/session/cuda-groups.h"
#include "kernel/session/flags.h"
#include "kernel/session/gpu-card.h"
#include "kernel/session/input.h"
#include "kernel/session/output.h"
#include "kernel/session/setup.h"
#include "kernel/session/undo.h"
#include "kernel/session/usage.h"

struct connection_file;
struct error;
struct history;
struct loop;
struct loop_source;
struct options;

struct session {
	const struct options *options;
	const struct connection_file *connection;
	struct loop *loop;
	struct supervisor *supervisor;
	struct channels *channels;
	struct history *history;
	struct wire wire;
	struct publisher publisher;
	struct executor executor;
	struct output output;
	struct input input;
	struct declarations declarations;
	struct undo undo;
	struct setup setup;
	struct usage usage;
	struct flags flags;
	struct cuda_groups cuda_groups;
	bool trace_all; /* %trace on */
	bool told_main; /* that main() does not run by itself */
	struct gpu_card gpu_card;
	struct package_work *package_work; /* owned; NULL while no %pkg or %ldflags is at work */
	struct loop_source *sources[CHANNELS];
};

/* Everything passed in is borrowed and must live longer. */
int session_init(struct session *s, const struct options *options,
		 const struct connection_file *connection, struct loop *loop,
		 struct supervisor *supervisor, struct channels *channels, struct error *err);
/* From here on requests are answered; publishes `starting`. */
void session_start(struct session *s);
void session_release(struct session *s);
/* Handles all messages that wait on a channel, so that none that came before this moment is missed.
 */
void session_drain(struct session *s, enum channel channel);

#endif
