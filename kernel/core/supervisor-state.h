/* SPDX-License-Identifier: Apache-2.0 */
/*
 * struct supervisor, as the rooms that make it up see it: workers, device, disk, cell-run and
 * supervisor, in this order. What they all work on is here as it is (the session's state and the
 * cell at work); what is one part's own is a pointer, and that part's header has the struct.
 *
 * A part calls parts of its own room and of lower ones. What it has to tell higher ones goes
 * through `hooks`, see kernel/core/supervisor-hooks.h.
 */
#ifndef CGPU_KERNEL_CORE_SUPERVISOR_STATE_H
#define CGPU_KERNEL_CORE_SUPERVISOR_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "common/protocol/run-options.h"
#include "common/protocol/worker-protocol.h"
#include "kernel/base/background-task.h"
#include "kernel/base/cpu-deadline.h"
#include "kernel/core/supervisor-callbacks.h"
#include "kernel/core/supervisor-hooks.h"
#include "kernel/faults/fault-report.h"
#include "kernel/faults/memcheck.h"
#include "kernel/sandbox/nvidia-nodes.h"
#include "kernel/sandbox/sandbox.h"
#include "kernel/state/commit.h"
#include "kernel/state/device-memory.h"
#include "kernel/state/journal.h"
#include "kernel/state/snapshot.h"
#include "kernel/units/unit-table.h"

struct limits;
struct loop;
struct loop_source;

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
	struct cpu_deadline where_deadline;
	struct loop_source *interrupt_tick;
	bool interrupted;
	struct cpu_deadline interrupt_deadline; /* with its worker */
	bool interrupt_stops;                   /* that was asked to stand still */
	bool interrupt_is_late; /* it does not end by itself; the deadline is that for standing
				   still */
};

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
	const struct supervisor_hooks *hooks;

	struct nvidia_nodes nvidia_nodes;
	struct sandbox sandbox;
	struct worker_pool *pool;
	struct spare_context *spare_context;
	struct closings *closings;
	struct rest *rest;
	struct libraries *libraries;
	struct version_watch *versions;
	struct device_choosing *choosing;
	struct compiler_client *compiler;
	const struct dirty_pages *dirty_pages;
	struct snapshot snapshot;
	struct journal journal;
	struct commit_hook commit_hook; /* tests only */
	struct commit commit;           /* of the cell that is RUN_COMMITTING, and its thread */
	struct background_task task;
	struct in_place *in_place;
	struct device_memory device;
	struct device_nodes *nodes;
	uint32_t renewed_at; /* epoch in which supervisor_renew() was called; 0: not */
	struct device_share *share;
	struct eviction *eviction;
	struct checker *checker;
	struct unit_table units;
	struct cell_run run;

	struct snapshots *snapshots;
	struct memcheck memcheck;
	bool compiling;      /* or looking: the cell at work waits for the compiler */
	uint32_t compile_sm; /* of the next supervisor_compile(); 0: the device's */
	void (*on_looked)(void *data, uint32_t type, const void *payload, size_t len);
	void *looked_data;
	char *cell_text; /* of the last supervisor_compile() */
	struct pressure *pressure;
	struct leak_watch *leaks;
	bool cap_told;         /* that little device memory is left */
	uint64_t oom_kills;    /* of the machine, when last looked at */
	struct buffer *answer; /* where a blocking question wants its answer */
	uint32_t answer_type, answer_id;
	bool answered;
	struct doctor_rows *doctor;
};

#endif
