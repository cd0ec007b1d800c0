/* SPDX-License-Identifier: Apache-2.0 */
/*
 * struct supervisor, as the folders that make it up see it: workers, device, disk, cell-run and
 * supervisor, in this order. State that they all work on (the session and the cell at work) is a
 * member; state of one part is a pointer, and that part's header has the struct.
 *
 * A part calls parts of its own folder and of lower ones. It reaches higher ones through `hooks`,
 * see kernel/core/supervisor-hooks.h.
 */
#ifndef CGPU_KERNEL_CORE_SUPERVISOR_STATE_H
#define CGPU_KERNEL_CORE_SUPERVISOR_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "common/base/buffer.h"
#include "common/protocol/run-options.h"
#include "common/protocol/worker-protocol.h"
#include "kernel/base/background-task.h"
#include "kernel/base/cpu-deadline.h"
#include "kernel/base/environment.h"
#include "kernel/core/supervisor-callbacks.h"
#include "kernel/core/supervisor-hooks.h"
#include "kernel/faults/fault-report.h"
#include "kernel/faults/memcheck.h"
#include "kernel/sandbox/hidden-paths.h"
#include "kernel/sandbox/nvidia-nodes.h"
#include "kernel/sandbox/sandbox.h"
#include "kernel/state/commit.h"
#include "kernel/state/device-memory.h"
#include "kernel/state/journal.h"
#include "kernel/state/snapshot.h"
#include "kernel/units/unit-table.h"

struct compiled_unit;
struct limits;
struct loop;
struct loop_source;

enum run_phase {
	RUN_NONE,
	RUN_WAITING, /* for a worker that holds the session */
	RUN_RUNNING,
	RUN_COMMITTING, /* a thread copies the pages that it changed */
	RUN_ENDED,      /* the outcome is decided; the next worker is being given the session */
};

struct cell_run {
	enum run_phase phase;
	uint32_t cell;
	/* Of the last WORKER_RUN. What has run in the worker before cannot know it, so nothing that
	 * it has sent ahead ends this cell. */
	uint64_t number;
	struct compiled_unit *unit;
	struct buffer dropped; /* names that end with the cell, each with its NUL */
	struct buffer result;  /* the last OUTPUT_RESULT record, shown after the commit */
	bool has_result;
	struct run_options options;
	struct buffer delivery; /* the message for a comm that the cell is run for; empty: none */
	struct buffer profile, no_profile; /* of a cell that succeeded */
	bool discarded;                    /* nothing of the cell is kept, whatever its outcome */
	struct buffer trace, no_trace;     /* of a cell whose worker has reached its end */
	struct buffer unsaved;             /* lines: blocks whose old content is not kept */
	/* At the end of the cell, as the worker has said: a thread of a cell lives; it has forked,
	 * so others have its live memfd. */
	bool threads, forked;
	/* Heap that the commit takes out of the arena, as the worker has said at the cell's end. */
	struct dirty_ranges given_back;
	/* The commit at work is a checkpoint in the middle of the cell. */
	bool checkpointing;
	uint32_t checkpoint_line;
	uint32_t checkpoints; /* commits of checkpoints of this cell */
	/* Its worker died before the cell began, and the cell was sent to another one; at most
	 * once. */
	bool retried;
	struct cell_end end; /* figures and flags; texts are below */
	struct fault_report report;
	struct fault_report trouble; /* why the last worker could not take the session */
	struct buffer warnings, restored;
	struct loop_source *tick;
	uint64_t memory_seen;       /* the session's bytes at the last tick */
	uint64_t memory_most;       /* the maximum over all ticks */
	uint64_t memory_at_start;   /* at the first tick */
	int64_t exact_at_ms;        /* no exact look before that; as loop_now_ms() */
	unsigned tasks_at_start;    /* of the whole machine */
	uint64_t refusals_at_start; /* of the control group */
	/* The worker of a cell that must end was asked for the line at work. */
	bool asked_where;
	struct cpu_deadline where_deadline;
	struct loop_source *interrupt_tick;
	bool interrupted;
	struct cpu_deadline interrupt_deadline; /* for the worker to unwind */
	bool interrupt_stops;                   /* the worker was asked to stand still */
	/* The worker does not unwind by itself; the deadline is the one for standing still. */
	bool interrupt_is_late;
};

struct supervisor {
	char *libexec_dir, *proc_dir;
	const char *language;                  /* NULL: C; a constant */
	struct hidden_paths hidden;            /* the connection file, or the folder it is in */
	struct hidden_paths covered;           /* from supervisor_hide() */
	struct hidden_paths covered_for_cells; /* those, and what the compiler alone may see */
	uint64_t host_limit, device_limit;
	time_t since;             /* when it was made */
	uint64_t shared_at_start; /* shared_memory_of_machine() then */
	enum device_rollback device_rollback;
	bool interrupt_keeps; /* an interrupted cell is committed as it stands */
	const struct limits *limits;
	struct loop *loop; /* NULL until supervisor_start() */
	const struct supervisor_callbacks *cb;
	void *cb_data;
	const struct supervisor_hooks *hooks;

	const pid_t *other_helper;      /* see supervisor_keep() */
	struct environment environment; /* for `!` commands and the compiler */
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
	struct question_compiler *questions;
	struct told_declarations *declarations;
	struct launcher_client *launcher;
	struct presenter_client *presenter;
	const struct dirty_pages *dirty_pages;
	struct snapshot snapshot;
	struct journal journal;
	struct commit_hook commit_hook; /* tests only */
	struct commit commit; /* of a cell that is RUN_COMMITTING; used by the thread, too */
	struct background_task task;
	struct in_place *in_place;
	struct device_memory device;
	struct device_nodes *nodes;
	uint32_t renewed_at; /* the epoch of the call of supervisor_renew(); 0: none */
	struct device_share *share;
	struct eviction *eviction;
	struct checker *checker;
	struct cell_stop *stop;
	struct unit_table units;
	struct cell_run run;

	struct snapshots *snapshots;
	struct memcheck memcheck;
	bool compiling; /* or looking at device code: the cell at work waits for the compiler */
	uint32_t compile_sm; /* for the next supervisor_compile(); 0: the device's */
	void (*on_looked)(void *data, uint32_t type, const void *payload, size_t len);
	void *looked_data;
	char *cell_text; /* of the last supervisor_compile() */
	struct pressure *pressure;
	struct leak_watch *leaks;
	bool cap_told;         /* the user was told that little device memory is left */
	uint64_t oom_kills;    /* of the machine, when last looked at */
	struct buffer *answer; /* receives the answer of a blocking question */
	uint32_t answer_type, answer_id;
	bool answered;
	struct doctor_rows *doctor;
};

#endif
