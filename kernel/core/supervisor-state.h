/* SPDX-License-Identifier: Apache-2.0 */
/*
 * struct supervisor as its parts see it. The parts, in the order in which they call each other:
 *
 *	supervisor    the calls of supervisor.h
 *	cell-run      one cell: run, end, commit or fail, result
 *	interrupt     stops the cell at work
 *	watchdog      memory and processes of the cell at work
 *	lending       what a cell may write in place
 *	worker-pool   zygote, the active worker, the spare, what is dying; attach
 *	parking       device memory of a session that is idle, in a file
 *	checker       a checked cell of a session with a GPU runs on the emulated device
 *	output-drain  ring and pipes to the session
 *	snapshots     saves and loads the session on disk
 */
#ifndef CGPU_KERNEL_CORE_SUPERVISOR_STATE_H
#define CGPU_KERNEL_CORE_SUPERVISOR_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/buffer.h"
#include "common/run-options.h"
#include "kernel/sandbox/nvidia-nodes.h"
#include "kernel/sandbox/sandbox.h"
#include "kernel/base/aside.h"
#include "kernel/cell-run/checker.h"
#include "kernel/device/closings.h"
#include "kernel/state/commit.h"
#include "kernel/workers/compiler-client.h"
#include "kernel/state/device-memory.h"
#include "kernel/device/device-nodes.h"
#include "kernel/device/device-share.h"
#include "kernel/device/device-choice.h"
#include "kernel/supervisor/doctor-rows.h"
#include "kernel/faults/fault-report.h"
#include "kernel/state/journal.h"
#include "kernel/cell-run/lending.h"
#include "kernel/workers/libraries.h"
#include "kernel/cell-run/leak-watch.h"
#include "kernel/device/parking.h"
#include "kernel/cell-run/pressure.h"
#include "kernel/cell-run/rest.h"
#include "kernel/state/snapshot.h"
#include "kernel/disk/snapshots.h"
#include "kernel/device/spare-context.h"
#include "kernel/supervisor/supervisor.h"
#include "kernel/faults/memcheck.h"
#include "kernel/units/unit-table.h"
#include "kernel/supervisor/version-watch.h"
#include "kernel/workers/worker.h"
#include "kernel/workers/zygote-client.h"

/* The oldest that the compiler of device code knows, and what the emulated device says that it is.
 */
#define SUPERVISOR_OLDEST_SM 75

struct loop_source;

struct worker_pool {
	struct zygote_client zygote;
	struct loop_source *zygote_channel, *zygote_death, *retry, *bury, *patience;
	struct worker *active; /* holds the session or is being given it */
	struct worker *spare;  /* forked ahead, or on its way */
	struct worker *dying;  /* killed, not yet dead */
	struct worker *dead;   /* freed from the loop */
	uint32_t last_id;
	uint32_t epoch;
	unsigned failures; /* workers in a row that did not get as far as holding the session */
	enum worker_driver driver; /* of the workers to come */
	bool device_has_worked;    /* some worker had one that it could use */
	bool device_hangs; /* a worker has hung in its driver: the next ones leave the device alone
			    */
	bool hold;         /* give the session to nobody: its memory is being changed */
	bool closing;
	struct worker_hello hello; /* of the last worker that said it */
	bool said_hello;
};

enum run_phase {
	RUN_NONE,
	RUN_WAITING, /* for a worker that holds the session */
	RUN_RUNNING,
	RUN_COMMITTING, /* a thread copies what it changed */
	RUN_ENDED,      /* its outcome is decided; the session is being given to the next worker */
};

struct cell_run {
	enum run_phase phase;
	uint32_t cell;
	struct buffer unit;
	struct buffer dropped; /* names that end with the cell, each with its NUL */
	struct buffer result;  /* the last OUTPUT_RESULT record, shown after the commit */
	bool has_result;
	struct run_options options;
	struct buffer profile, no_profile; /* of a cell that is well */
	bool discarded;                    /* nothing of it is kept, whatever comes out */
	struct buffer trace, no_trace;     /* of a cell whose worker has reached its end */
	struct buffer in_place;            /* lines: blocks of which there is no old content */
	bool checkpointing;                /* the commit at work is one in the middle of the cell */
	uint32_t checkpoint_line;
	uint32_t checkpoints; /* of this cell, committed */
	bool retried;         /* its worker died before it began, once */
	struct cell_end end;  /* figures and flags; texts are below */
	struct fault_report report;
	struct fault_report trouble; /* why the last worker could not take the session */
	struct buffer warnings, restored;
	struct loop_source *tick;
	uint64_t memory_seen;       /* bytes of the session, at the last tick */
	uint64_t memory_most;       /* at any tick */
	uint64_t memory_at_start;   /* at the first */
	unsigned tasks_at_start;    /* of the machine */
	uint64_t refusals_at_start; /* of the control group */
	bool asked_where;           /* a cell that has to end was asked where it is */
	struct patience where_patience;
	struct loop_source *interrupt_tick;
	bool interrupted;
	struct patience interrupt_patience; /* with its worker */
	bool interrupt_stops;               /* that was asked to stand still */
	bool interrupt_is_late; /* it does not end by itself; the patience is that for standing
				   still */
};

/* Ask the idle worker and wait: for answers that are made in microseconds. Type and id of the body
 * are the answer's. */
int supervisor_question(struct supervisor *s, uint32_t type, const struct buffer *body,
			uint32_t answer_type, struct buffer *ret, struct error *err);

struct supervisor {
	char *libexec_dir, *connection_file, *proc_dir;
	const char *language; /* NULL: C; a constant */
	char **covered;       /* by supervisor_hide() */
	size_t n_covered;
	uint64_t host_limit, device_limit;
	enum device_rollback device_rollback;
	const struct limits *limits;
	struct loop *loop; /* NULL until supervisor_start() */
	const struct supervisor_callbacks *cb;
	void *cb_data;

	struct nvidia_nodes nvidia_nodes;
	struct sandbox sandbox;
	struct worker_pool pool;
	struct spare_context spare_context;
	struct closings closings;
	struct rest rest;
	struct libraries libraries;
	struct version_watch versions;
	struct device_choosing choosing;
	struct compiler_client compiler;
	const struct dirty_pages *dirty_pages;
	struct snapshot snapshot;
	struct journal journal;
	struct commit_hook commit_hook; /* tests only */
	struct commit commit;           /* of the cell that is RUN_COMMITTING, and its thread */
	struct aside aside;
	struct lending lending;
	struct device_memory device;
	struct device_nodes nodes;
	uint32_t renewed_at; /* epoch in which supervisor_renew() was called; 0: not */
	struct device_share share;
	struct parking parking;
	struct checker checker;
	struct unit_table units;
	struct cell_run run;

	struct snapshots snapshots;
	struct memcheck memcheck;
	bool compiling;      /* or looking: the cell at work waits for the compiler */
	uint32_t compile_sm; /* of the next supervisor_compile(); 0: the device's */
	supervisor_answer *on_looked;
	void *looked_data;
	char *cell_text; /* of the last supervisor_compile() */
	struct pressure pressure;
	struct leak_watch leaks;
	bool cap_told;         /* that little device memory is left */
	uint64_t oom_kills;    /* of the machine, when last looked at */
	struct buffer *answer; /* where a blocking question wants its answer */
	uint32_t answer_type, answer_id;
	bool answered;
	struct doctor_rows doctor;
};

/* What device code of cells is compiled for: what all devices of the session have, as far as a
 * worker has told. */
uint32_t supervisor_device_sm(const struct supervisor *s);

#endif
