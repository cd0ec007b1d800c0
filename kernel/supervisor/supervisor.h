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

#include "common/output-ring.h"
#include "common/run-options.h"
#include "common/unit.h"
#include "common/worker-protocol.h"

struct buffer;
struct error;
struct limits;
struct loop;
struct snapshot_job;
struct snapshot_piece;
struct supervisor;
struct address_description;

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

/* How a cell ended, after commit or rollback. Texts are borrowed for the duration of the callback.
 */
struct cell_end {
	bool ok;
	bool discarded; /* nothing is kept although it is ok: a checked cell */
	bool interrupted;
	bool rolled_back;
	bool checkpointed;   /* what it did before a checkpoint is kept, whatever became of the rest
			      */
	bool whole;          /* it ran to its end: what it drops is dropped */
	const char *ename;   /* "" when ok */
	const char *evalue;  /* one line */
	const char *missing; /* names that it needs and nobody defines, with blanks between; "" for
				none */
	const char *traceback; /* lines, "\n" separated, complete text for the user, ANSI colours
				  allowed */
	const char *warnings;  /* lines for stderr, "" for none */
	const char
		*restored; /* restore report, lines: what could not be brought back; "" for none */
	const struct buffer *profile; /* common/launch-profile.h; NULL: none was asked for, or why
					 there is none: */
	const char *no_profile;       /* "" */
	const struct buffer *trace;   /* common/device-trace.h, also of a cell whose device code has
					 failed; NULL: none, or why: */
	const char *no_trace;         /* "" */
	uint64_t run_ns, load_ns, commit_ns;
	uint64_t committed_bytes;
	uint64_t saved_ns, saved_bytes; /* of device memory, for a rollback */
	uint64_t read_ns, read_bytes;   /* the same, for digests of what was not saved */
};

struct supervisor_callbacks {
	/* A unit, or NULL with the diagnostics. `unit` is borrowed; its encoded form too (pass it
	 * to supervisor_run). */
	void (*on_compiled)(void *data, const struct unit *unit, const void *encoded, size_t len,
			    const char *headline, const char *diagnostics);
	/* In order. Text need not be whole UTF-8 characters. OUTPUT_RESULT comes just before
	 * on_cell_end, after commit. */
	void (*on_output)(void *data, enum output_type type, const char *bytes, size_t len);
	void (*on_input_request)(void *data, const char *prompt, bool password);
	void (*on_cell_end)(void *data, const struct cell_end *end);
	/* Between cells: a worker has the session again, or none can be had at the moment. May be
	 * NULL. */
	void (*on_session)(void *data);
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
/* Between cells: forget everything. ret_undoable: it was small enough to be kept, supervisor_undo()
 * brings it back. */
int supervisor_reset(struct supervisor *s, bool *ret_undoable, struct error *err);

/* Does a worker have the session, idle? If not, on_session() follows. */
bool supervisor_is_ready(const struct supervisor *s);
/* Names the worker that has the session: another number, another process. */
uint64_t supervisor_worker(const struct supervisor *s);

/* Names the committed state; every commit gives another one. */
uint64_t supervisor_state(const struct supervisor *s);
/* What undo keeps of the last cell may still be looked for: wait until it is known, and
 * supervisor_undo_room() with it. */
void supervisor_settle(struct supervisor *s);
struct supervisor_undo_room {
	uint64_t oldest; /* state that can be returned to */
	uint64_t bytes;  /* that are kept for it */
	uint64_t bytes_max;
};
void supervisor_undo_room(const struct supervisor *s, struct supervisor_undo_room *ret);
/* Between cells: go back to an earlier state. ERROR_STATE: it is not kept. */
int supervisor_undo(struct supervisor *s, uint64_t state, struct error *err);

/*
 * Snapshots on disk, in a folder of this notebook. describe() appends what the session layer needs
 * again, and says what the execution count is; it is called between cells. auto_max: largest state
 * that is saved by itself; 0: none is.
 */
typedef int supervisor_describe_session(void *data, struct buffer *out, uint32_t *ret_count);
void supervisor_keep_snapshots(struct supervisor *s, const char *folder, uint64_t auto_max,
			       supervisor_describe_session *describe, void *data);
/* describe() is not called any more. What is committed is saved before, if that does not take long.
 */
void supervisor_end_snapshots(struct supervisor *s);
/* Texts are borrowed for the duration of the call. */
struct supervisor_snapshot_end {
	const char *error;            /* "" when it was done */
	uint64_t bytes;               /* of content */
	uint64_t written;             /* saved: bytes that were not on disk yet */
	const struct buffer *session; /* restored: what describe() had appended */
	uint32_t count;
	int64_t time;       /* when it was saved, since 1970 */
	const char *report; /* lines: what could not be restored */
};
typedef void supervisor_snapshot_done(void *data, const struct supervisor_snapshot_end *end);
/* Between cells; no cell may be run before `done`, which is called from the loop when 0 was
 * returned. */
int supervisor_save(struct supervisor *s, const char *name, supervisor_snapshot_done *done,
		    void *data, struct error *err);
/* The session becomes that of the snapshot; supervisor_undo() to the state before brings it back.
 */
int supervisor_restore(struct supervisor *s, const char *name, supervisor_snapshot_done *done,
		       void *data, struct error *err);
/* Looks at a snapshot, and at the session that stands still meanwhile. fn runs on a thread; all is
 * borrowed until `done`. */
struct supervisor_examiner {
	const char *name;
	int (*fn)(struct snapshot_job *j, int dir, void *data, struct error *err);
	void *data;
	const struct snapshot_piece *pieces; /* device memory that fn can ask for */
	size_t n_pieces;
};
int supervisor_examine(struct supervisor *s, const struct supervisor_examiner *e,
		       supervisor_snapshot_done *done, void *data, struct error *err);
/* Gives up what is under way, as long as the session is not touched. */
void supervisor_snapshot_cancel(struct supervisor *s);
/* Why the last automatic snapshot could not be written; "": it was, or there was none yet. */
const char *supervisor_autosave_problem(const struct supervisor *s);
/* NULL: there is none; who this process is in its files. */
const char *supervisor_snapshot_folder(const struct supervisor *s, uint64_t *ret_owner);

/* Compiler questions; the answer callback comes once, with NULL data when the compiler died on it;
 * never after -1. */
typedef void supervisor_answer(void *data, uint32_t type, const void *payload, size_t len);
int supervisor_complete(struct supervisor *s, const char *text, uint32_t cursor,
			supervisor_answer *cb, void *data, struct error *err);
int supervisor_inspect(struct supervisor *s, const char *text, uint32_t cursor, uint32_t detail,
		       supervisor_answer *cb, void *data, struct error *err);
int supervisor_is_complete(struct supervisor *s, const char *text, supervisor_answer *cb,
			   void *data, struct error *err);

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
int supervisor_look(struct supervisor *s, const struct supervisor_look *q, supervisor_answer *cb,
		    void *data, struct error *err);

/*
 * Shared libraries for all workers from here on; between cells. 1: `fn` follows from the loop, with
 * why it failed or ""; 0: all are loaded; -1. The session then moves to a new worker: files and
 * threads of the old one end, and are reported.
 */
typedef void supervisor_loaded(void *data, const char *problem);
int supervisor_load(struct supervisor *s, const char *const *paths, size_t n, supervisor_loaded *fn,
		    void *data, struct error *err);
/* Gives up a loading that does not end, by ending the process that loads. */
void supervisor_load_cancel(struct supervisor *s);
/* enum package_question; the answer is the payload of COMPILER_PACKAGED. */
int supervisor_package(struct supervisor *s, uint8_t question, const char *text,
		       supervisor_answer *cb, void *data, struct error *err);
/* The compiler follows %cd and %env; "" for what has not changed. */
void supervisor_surroundings(struct supervisor *s, const char *folder, const char *variable,
			     const char *value);

/* Variables, from committed state; works while a cell runs. */
struct supervisor_variable {
	const char *name;
	const char *type;
	const char *type_code;
	uint64_t address;
	uint64_t size;
	uint32_t cell;
	bool is_function;
};
size_t supervisor_variables(const struct supervisor *s, const struct supervisor_variable **ret);
/* The text of the cell "In[3]", as it ran last; NULL: not known. */
const char *supervisor_cell_text(const struct supervisor *s, const char *cell_name);
/* Committed bytes of the arena, 0; -1 when the address is not session memory. */
int supervisor_read(const struct supervisor *s, uint64_t address, void *out, size_t len);
/* Between cells, blocking with a short deadline. ret has n entries. */
int supervisor_describe(struct supervisor *s, const uint64_t *addresses, size_t n,
			struct address_description *ret, struct error *err);
/*
 * The device's bytes of a __device__ or __constant__ variable, whose address here is that of its
 * stand-in on the host. Between cells, blocking with a short deadline.
 */
int supervisor_read_device(struct supervisor *s, uint64_t stand_in, void *out, size_t len,
			   struct error *err);
/* Payload of WORKER_DEVICE_REPORT after the id; between cells. */
int supervisor_device_report(struct supervisor *s, struct buffer *ret, struct error *err);
bool supervisor_is_emulated(const struct supervisor *s);
/* The session holds device memory, as it is or as it was, that no worker can reach: see
 * kernel/device/device-home.h. */
bool supervisor_device_is_missed(struct supervisor *s);

/*
 * Between cells: other processes take the session over, with a device that is initialised anew. The
 * first call fails with ERROR_PEER_GONE; a second one, when a worker has the session, gives the
 * report of what could not be brought back.
 */
int supervisor_renew(struct supervisor *s, struct buffer *ret_report, struct error *err);

/*
 * Between cells: a worker tries the other driver; see kernel/device/device-choice.h. 0: fn()
 * follows from the loop, with why it cannot be used, and nothing has changed, or "" and the
 * device's name. ERROR_STATE: the session has device memory.
 */
typedef void supervisor_device_chosen(void *data, const char *problem, const char *device);
int supervisor_choose_device(struct supervisor *s, enum worker_driver choice,
			     supervisor_device_chosen *fn, void *data, struct error *err);
void supervisor_choose_device_cancel(struct supervisor *s);
enum worker_driver supervisor_device_choice(const struct supervisor *s);

struct memory_report;
/* Who holds the session's memory: these cells, or (n is 0) those that hold most. Between cells; the
 * caller releases it. */
int supervisor_memory_report(struct supervisor *s, const uint32_t *cells, size_t n,
			     struct memory_report *ret, struct error *err);

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
/*
 * Between cells: device memory goes to a file, and the workers are ended; see
 * kernel/device/parking.h. 0: done() follows from the loop, with why it did not work or "". All
 * else that needs a worker, cells too, brings the session back.
 */
typedef void supervisor_parked(void *data, const char *problem);
int supervisor_park(struct supervisor *s, supervisor_parked *done, void *data, struct error *err);
void supervisor_park_cancel(struct supervisor *s);
/* Something comes that needs a worker; on_session() follows if none is there. */
void supervisor_wake(struct supervisor *s);
/* Whoever waits for the session does not any more. */
void supervisor_wake_cancel(struct supervisor *s);
struct supervisor_parking_rules {
	uint64_t idle_ms;    /* it parks by itself after so long without a cell, 0: never */
	bool when_wanted;    /* and when another notebook waits for device memory */
	uint64_t memory_max; /* more bytes than this are parked on disk; 0: a quarter of what is
				available */
};
void supervisor_set_parking(struct supervisor *s, const struct supervisor_parking_rules *r);
struct supervisor_parking {
	struct supervisor_parking_rules rules;
	uint64_t bytes; /* in the file */
	bool on_disk;
	const char *problem; /* why it could not come back when it was last tried, lines; "" */
};
bool supervisor_is_parked(const struct supervisor *s, struct supervisor_parking *ret);
/* What belongs to the worker and ends with it: "open file notes.txt of In[3]". Nothing: it may be
 * ended without being missed. */
void supervisor_describe_losses(const struct supervisor *s, struct buffer *out);
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
