/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The supervisor owns everything that a session needs beyond the Jupyter protocol: the zygote, the
 * active worker and the spare, the compiler process, the arena's memfd, device memory, commit and
 * rollback. It knows nothing of Jupyter messages: the session layer (kernel/session/) starts work
 * here and hears of it through callbacks, all from the one event loop.
 *
 * One cell is at work at a time: supervisor_compile() -> on_compiled, then supervisor_run() ->
 * on_output... -> on_cell_end. on_cell_end comes after commit or rollback: "ok" means committed.
 */
#ifndef CGPU_KERNEL_SUPERVISOR_SUPERVISOR_H
#define CGPU_KERNEL_SUPERVISOR_SUPERVISOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/code/unit.h"
#include "common/protocol/output-ring.h"
#include "common/protocol/run-options.h"
#include "common/protocol/worker-protocol.h"
#include "kernel/core/supervisor-callbacks.h"
#include "kernel/device/device-choice.h"
#include "kernel/device/device-home.h"
#include "kernel/device/eviction.h"
#include "kernel/disk/session-undo.h"
#include "kernel/disk/snapshots.h"
#include "kernel/units/unit-table.h"
#include "kernel/workers/compiler-client.h"
#include "kernel/workers/libraries.h"
#include "kernel/workers/question.h"

struct buffer;
struct error;
struct limits;
struct loop;
struct supervisor;

struct supervisor_options {
	const char *libexec_dir;     /* where cgpu-worker and cgpu-compiler are */
	const char *language;        /* of cells, as cgpu-compiler takes it, a constant; NULL: C */
	const char *connection_file; /* path to hide from workers; not read here */
	uint64_t host_limit;   /* bytes, 0: three quarters of what the machine or the control group
				  has */
	const char *proc_dir;  /* with pressure/memory and vmstat of the machine; NULL: /proc */
	uint64_t device_limit; /* bytes, 0: what `limits` or the machine say */
	const struct limits *limits; /* borrowed; NULL: there are none */
	uint64_t undo_limit;         /* bytes to keep for undo */
	unsigned disabled_sandbox;   /* enum sandbox_flag bits not to apply (tests force the
					fallbacks) */
};

/*
 * Start the zygote. Must be called before the signing key is read: every worker descends from the
 * zygote.
 */
struct supervisor *supervisor_new(const struct supervisor_options *options, struct error *err);
/* Start the first worker and the compiler; waits for neither. Once, before all that follows. */
int supervisor_launch(struct supervisor *s, struct error *err);
/* Register with the event loop and deliver callbacks from there on. */
void supervisor_start(struct supervisor *s, struct loop *loop,
		      const struct supervisor_callbacks *cb, void *data);
/*
 * Keep cells from this file too: a socket that was bound after the workers were started. Copied;
 * does nothing where there is no mount namespace.
 */
void supervisor_hide(struct supervisor *s, const char *path);
/* Ends every process of ours and their descendants; within 2 s. */
void supervisor_free(struct supervisor *s);

/* Session declarations as the compiler must see them: how many, and those that are others than
 * before. */
void supervisor_declare(struct supervisor *s, size_t total,
			const struct declaration_change *changes, size_t n);
/* replaced: indices of declarations that the text replaces, so that it must not use them. -1:
 * on_compiled does not follow. */
int supervisor_compile(struct supervisor *s, uint32_t cell, const char *cell_name, const char *text,
		       const char *cflags, const char *nvflags, const uint32_t *replaced,
		       size_t n_replaced, bool checked, struct error *err);
/* Before supervisor_compile(): device code for this compute capability, once; 0: the device's. */
void supervisor_compile_for(struct supervisor *s, uint32_t sm);
/* Id of the next cell in the front end, "" for none: cells of the same id are runs of one. */
void supervisor_identify(struct supervisor *s, const char *id);
/*
 * dropped: names, each with its NUL, that end when the cell has run to its end; may be empty.
 * Whether it is checked has been said to supervisor_compile().
 */
void supervisor_run(struct supervisor *s, const void *encoded_unit, size_t len,
		    const struct buffer *dropped, const struct run_options *options);
void supervisor_interrupt(struct supervisor *s);
void supervisor_input(struct supervisor *s, bool eof, const char *line);
/* Between cells: forget everything. ret_undoable: it was small enough to be kept, session_undo()
 * brings it back. */
int supervisor_reset(struct supervisor *s, bool *ret_undoable, struct error *err);

/* Does a worker have the session, idle? If not, on_session() follows. */
bool supervisor_is_ready(const struct supervisor *s);
/* Names the worker that has the session: another number, another process. */
uint64_t supervisor_worker(const struct supervisor *s);

/* Names the committed state; every commit gives another one. */
uint64_t supervisor_state(const struct supervisor *s);
/* What undo keeps of the last cell may still be looked for: wait until it is known, and
 * session_undo_room() with it. */
void supervisor_settle(struct supervisor *s);
/* Compiler questions; the answer callback comes once, with NULL data when the compiler died on it;
 * never after -1. */
int supervisor_complete(struct supervisor *s, const char *text, uint32_t cursor,
			compiler_answer *cb, void *data, struct error *err);
int supervisor_inspect(struct supervisor *s, const char *text, uint32_t cursor, uint32_t detail,
		       compiler_answer *cb, void *data, struct error *err);
int supervisor_is_complete(struct supervisor *s, const char *text, compiler_answer *cb, void *data,
			   struct error *err);

/* Device code as it is shown; the answer is the payload of COMPILER_LOOKED. supervisor_interrupt()
 * gives it up. */
struct supervisor_look {
	uint8_t kind;     /* enum look_kind */
	const char *name; /* "" for all */
	uint32_t sm;      /* 0: the device's */
	uint32_t threads; /* a block, 0: not said */
	uint32_t dynamic_shared;
	const struct unit
		*unit; /* its code, of the cell that was compiled last; NULL: that of the session */
};
int supervisor_look(struct supervisor *s, const struct supervisor_look *q, compiler_answer *cb,
		    void *data, struct error *err);

/*
 * Shared libraries for all workers from here on; between cells. 1: `fn` follows from the loop, with
 * why it failed or ""; 0: all are loaded; -1. The session then moves to a new worker: files and
 * threads of the old one end, and are reported.
 */
int supervisor_load(struct supervisor *s, const char *const *paths, size_t n, libraries_loaded *fn,
		    void *data, struct error *err);
/* Gives up a loading that does not end, by ending the process that loads. */
void supervisor_load_cancel(struct supervisor *s);
/* enum package_question; the answer is the payload of COMPILER_PACKAGED. */
int supervisor_package(struct supervisor *s, uint8_t question, const char *text,
		       compiler_answer *cb, void *data, struct error *err);
/* The compiler follows %cd and %env; "" for what has not changed. */
void supervisor_surroundings(struct supervisor *s, const char *folder, const char *variable,
			     const char *value);

/* Variables, from committed state; works while a cell runs. */
size_t supervisor_variables(const struct supervisor *s, const struct unit_variable **ret);
/* The text of the cell "In[3]", as it ran last; NULL: not known. */
const char *supervisor_cell_text(const struct supervisor *s, const char *cell_name);
/* Committed bytes of the arena, 0; -1 when the address is not session memory. */
int supervisor_read(const struct supervisor *s, uint64_t address, void *out, size_t len);
bool supervisor_is_emulated(const struct supervisor *s);
/*
 * Between cells: other processes take the session over, with a device that is initialised anew. The
 * first call fails with ERROR_PEER_GONE; a second one, when a worker has the session, gives the
 * report of what could not be brought back.
 */
int supervisor_renew(struct supervisor *s, struct buffer *ret_report, struct error *err);

int supervisor_set_limits(struct supervisor *s, uint64_t host_limit, uint64_t device_limit,
			  struct error *err);
/* What becomes of device buffers when a cell fails that has written them. */
int supervisor_set_rollback(struct supervisor *s, enum device_rollback mode, struct error *err);
enum device_rollback supervisor_rollback(const struct supervisor *s);
/* What nobody may pass; the whole of which `%limit gpu 40%` is a part. */
const struct limits *supervisor_ceilings(const struct supervisor *s);
uint64_t supervisor_device_memory(const struct supervisor *s);
void supervisor_limits(const struct supervisor *s, uint64_t *ret_host, uint64_t *ret_device);
/*
 * Device memory is shared with all kernels that use the file; the name is what they see of this
 * one. Once, after supervisor_launch(). On an error the session shares with nobody.
 */
int supervisor_share(struct supervisor *s, const char *path, const char *name, struct error *err);
/* How long a cell waits for memory that others have, 0: not at all. */
void supervisor_set_wait(struct supervisor *s, uint64_t ms);
uint64_t supervisor_wait(const struct supervisor *s);
/* Who holds what of the devices, lines; nothing is appended when it is this session alone. */
int supervisor_share_table(struct supervisor *s, struct buffer *out, struct error *err);
/* As memory_use_now(); what the limit of host memory is compared with, but for the base that a
 * worker without a session needs. */
struct memory_use;
struct memory_use supervisor_memory_use(const struct supervisor *s);

/* As memory_use_kept(). */
uint64_t supervisor_kept_bytes(const struct supervisor *s);

/* Rows for %doctor: what is in force and what is not. */
struct doctor_row {
	const char *what;
	bool ok;
	const char *detail; /* version, figure */
	const char *mend;   /* the sentence that mends it; "" when ok */
};
size_t supervisor_doctor(const struct supervisor *s, const struct doctor_row **ret);

#endif
