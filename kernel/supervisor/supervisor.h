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
#include "kernel/settings/profile.h"
#include "kernel/units/unit-table.h"
#include "kernel/workers/compiler-client.h"
#include "kernel/workers/launcher-client.h"
#include "kernel/workers/libraries.h"
#include "kernel/workers/question.h"

struct buffer;
struct compiled_unit;
struct environment;
struct error;
struct limits;
struct loop;
struct supervisor;

struct supervisor_options {
	const char *libexec_dir; /* folder of cgpu-worker and cgpu-compiler */
	/* Language of the cells as cgpu-compiler takes it, a constant; NULL: C. */
	const char *language;
	/* What is hidden from cells and helpers in every way there is, not read here: the
	 * connection file, or a folder that it is in; NULL or "": nothing. */
	const char *hidden;
	/* Limit of host memory in bytes; 0: three quarters of the memory of the machine or control
	 * group. */
	uint64_t host_limit;
	const char *proc_dir;  /* has pressure/memory and vmstat of the machine; NULL: /proc */
	uint64_t device_limit; /* in bytes; 0: from `limits` or the machine */
	const struct limits *limits; /* borrowed; NULL: there are none */
	/* A folder that cells can read in every profile, and need not exist yet. */
	const char *readable;
	uint64_t undo_limit;       /* bytes to keep for undo */
	enum profile profile;      /* PROFILE_UNSET: open */
	unsigned disabled_sandbox; /* enum sandbox_flag bits not to apply (tests force the
				      fallbacks) */
};

/*
 * Creates the supervisor and starts the zygote. It must be called before the signing key is read,
 * since every worker descends from the zygote. NULL on error.
 */
struct supervisor *supervisor_new(const struct supervisor_options *options, struct error *err);
/* Starts the first worker and the compiler and waits for neither. Called once, before all functions
 * below. */
int supervisor_launch(struct supervisor *s, struct error *err);
/* Registers with the event loop, which delivers callbacks from then on. */
void supervisor_start(struct supervisor *s, struct loop *loop,
		      const struct supervisor_callbacks *cb, void *data);
/*
 * Hides one more file from cells, or a folder, before supervisor_launch(). The path is copied.
 * Nothing happens where there is no mount namespace.
 */
void supervisor_hide(struct supervisor *s, const char *path);
/* The same, but the compiler sees it. */
void supervisor_hide_from_cells(struct supervisor *s, const char *path);
/* Names the helper of another part, which is confined and no orphan of a cell: where its pid is, or
 * NULL; borrowed. */
void supervisor_keep(struct supervisor *s, const pid_t *helper);
/* Appends the order of common/sandbox/confinement.h for such a helper. It writes files of cgpu's
 * own, so it is not bound to the workspace. */
void supervisor_confinement(struct supervisor *s, struct buffer *ret);
/* Ends all processes of this supervisor and their descendants, within 2 s, and frees it. */
void supervisor_free(struct supervisor *s);

/* Sets the session declarations for the compiler: their total number, and those that have
 * changed. */
void supervisor_declare(struct supervisor *s, size_t total,
			const struct declaration_change *changes, size_t n);
/* What supervisor_compile() is given; all is borrowed during the call. */
struct supervisor_compilation {
	uint32_t cell;
	const char *name; /* "In[3]" */
	const char *text;
	/* The text before commands put text of theirs into its lines, for messages and reports;
	 * NULL: none has. */
	const char *written;
	const char *cflags, *nvflags;
	const uint32_t *replaced; /* declarations that the text replaces, and so must not use */
	size_t n_replaced;
	const struct run_options *options; /* `checked` and `debugged` */
};

/* Compiles a cell; on_compiled follows. -1: it does not. */
int supervisor_compile(struct supervisor *s, const struct supervisor_compilation *c,
		       struct error *err);
/* Before supervisor_compile(): sets the compute capability for the device code of one compilation;
 * 0: the device's. */
void supervisor_compile_for(struct supervisor *s, uint32_t sm);
/* Sets the front end's id of the next cell, "" for none: cells with the same id are runs of one
 * cell. */
void supervisor_identify(struct supervisor *s, const char *id);
/* Sets the message of a front end that the next cell hands to its comm when it has run
 * (common/protocol/comm-message.h). The content is taken. */
void supervisor_deliver(struct supervisor *s, struct buffer *message);
/*
 * Runs a compiled cell; on_cell_end follows. dropped has names, each with its NUL, that end when
 * the cell has run to its end; it may be empty. supervisor_compile() was told whether the cell is
 * checked.
 */
void supervisor_run(struct supervisor *s, struct compiled_unit *unit, const struct buffer *dropped,
		    const struct run_options *options);
void supervisor_interrupt(struct supervisor *s);

/* Breakpoints of cells that are run as `debugged`: kernel/cell-run/cell-stop.h. */
void supervisor_set_breakpoints(struct supervisor *s, const struct debug_breakpoint *at, size_t n);
/* Sets one of their conditions, see cell_stop_set_condition(). */
void supervisor_set_condition(struct supervisor *s, uint32_t condition, const void *bytes,
			      size_t len);
/* Returns the condition of the breakpoint at which the cell stands; 0: it has none. */
uint32_t supervisor_stop_condition(const struct supervisor *s);
void supervisor_stop_at_faults(struct supervisor *s, bool on);
/* Sets which thread of a launch stops in device code, with the next cell or when the one that
 * stands goes on; returns it. */
void supervisor_follow_thread(struct supervisor *s, const struct debug_thread *t);
const struct debug_thread *supervisor_followed_thread(const struct supervisor *s);
/* Tells whether the cell at work stands, and why it does, or did last. */
bool supervisor_is_stopped(const struct supervisor *s);
enum debug_reason supervisor_stop_reason(const struct supervisor *s);
/* Lets it go on; one that stands at its fault ends. */
void supervisor_resume(struct supervisor *s, enum debug_command command);
/* Lets a cell that runs for the debugger stop at the next line that it comes to. */
int supervisor_pause(struct supervisor *s, struct error *err);
/* Returns a number of what can be seen of the session: another one after each commit, each stop,
 * and each end of a stop. */
uint64_t supervisor_sight(const struct supervisor *s);
/* Returns the error that the cell stands at; "" for another stop. */
const char *supervisor_fault(const struct supervisor *s);

/* Whether what an interrupted cell has done is committed. Otherwise it is set aside for
 * session_redo(). */
void supervisor_set_interrupt(struct supervisor *s, bool keeps);
bool supervisor_interrupt_keeps(const struct supervisor *s);
void supervisor_input(struct supervisor *s, bool eof, const char *line);
/* Forgets the whole session, between cells. ret_undoable: it was small enough to be kept, so that
 * session_undo() brings it back. */
int supervisor_reset(struct supervisor *s, bool *ret_undoable, struct error *err);

/* Tells whether a worker has the session and is idle. If not, on_session() follows. */
bool supervisor_is_ready(const struct supervisor *s);
/* Returns a number of the worker that has the session: another number, another process. */
uint64_t supervisor_worker(const struct supervisor *s);

/* Returns the number of the committed state; every commit gives another one. */
uint64_t supervisor_state(const struct supervisor *s);
/* Waits until nothing of the last cell is copied any more: the undo log's entry for it, and
 * session_undo_room() with it, is complete, and no memory of it is there twice for that. */
void supervisor_settle(struct supervisor *s);
/* Questions to the compiler. The callback comes once, with NULL data when the compiler died over
 * the question, and never after -1. */
int supervisor_complete(struct supervisor *s, const char *text, uint32_t cursor,
			compiler_answer *cb, void *data, struct error *err);
/* kind: enum compiler_word; typed: of the word. */
int supervisor_words(struct supervisor *s, uint8_t kind, const char *typed, compiler_answer *cb,
		     void *data, struct error *err);
/* What an expression means at a line of a text: COMPILER_EXPRESSED. */
int supervisor_express(struct supervisor *s, const char *text, uint32_t line,
		       const char *expression, compiler_answer *cb, void *data, struct error *err);
/* Appends the program in such an answer. ERROR_INPUT says why there is none. */
int supervisor_expressed(uint32_t type, const void *payload, size_t len, struct buffer *program,
			 struct error *err);
int supervisor_inspect(struct supervisor *s, const char *text, uint32_t cursor, compiler_answer *cb,
		       void *data, struct error *err);
int supervisor_is_complete(struct supervisor *s, const char *text, compiler_answer *cb, void *data,
			   struct error *err);

/* A question for device code. The answer is the payload of COMPILER_LOOKED. supervisor_interrupt()
 * gives the question up. */
struct supervisor_look {
	uint8_t kind;     /* enum look_kind */
	const char *name; /* "" for all */
	uint32_t sm;      /* 0: the device's */
	uint32_t threads; /* per block; 0: not given */
	uint32_t dynamic_shared;
	/* The device code of this unit, of the cell that was compiled last; NULL: that of
	 * the session. */
	const struct unit *unit;
};
int supervisor_look(struct supervisor *s, const struct supervisor_look *q, compiler_answer *cb,
		    void *data, struct error *err);

/*
 * Loads shared libraries for all later workers, between cells. 1: `fn` follows from the loop, with
 * the problem or ""; 0: all are loaded; -1: error. The session then moves to a new worker: files
 * and threads of the old one end, and are reported.
 */
int supervisor_load(struct supervisor *s, const char *const *paths, size_t n, libraries_loaded *fn,
		    void *data, struct error *err);
/* Cancels a load that does not end, by ending the process that loads. */
void supervisor_load_cancel(struct supervisor *s);
/* Asks a question of enum package_question; the answer is the payload of COMPILER_PACKAGED. */
int supervisor_package(struct supervisor *s, uint8_t question, const char *text,
		       compiler_answer *cb, void *data, struct error *err);
/* Tells the compiler that %cd has changed the working folder. */
void supervisor_go_to(struct supervisor *s, const char *folder);
/* Sets a variable of the session's environment for `!` commands and the compiler. Cells are told by
 * the set-up code of their process. */
int supervisor_set_variable(struct supervisor *s, const char *name, const char *value,
			    struct error *err);
const struct environment *supervisor_environment(const struct supervisor *s);
/*
 * Runs a shell command, or writes a file, contained and in the working folder. fn is called from
 * the loop, unless the call fails. out, errors: descriptors that the command writes to; they stay
 * the caller's. One at a time.
 */
int supervisor_command(struct supervisor *s, const char *command, int out, int errors,
		       launcher_ended *fn, void *data, struct error *err);
int supervisor_write_file(struct supervisor *s, const char *path, bool append, const char *content,
			  size_t len, launcher_ended *fn, void *data, struct error *err);
/* From fn: a folder in which the command made something that it could not read itself, since this
 * machine has no other way to hide the connection file; "": none. */
const char *supervisor_command_made_in(const struct supervisor *s);
/* Interrupts either; the third time it is ended with all that commands have left running. */
void supervisor_interrupt_command(struct supervisor *s);

/* Returns the number of variables and their list, from committed state; works while a cell runs. */
size_t supervisor_variables(const struct supervisor *s, const struct unit_variable **ret);
/* Returns the text of the cell "In[3]" at its last run; "": it is not known. */
const char *supervisor_text(const struct supervisor *s, const char *cell_name);
/* Reads committed bytes of the arena, or those that a cell that stands has. 0; -1 when the address
 * is not session memory. */
int supervisor_read(const struct supervisor *s, uint64_t address, void *out, size_t len);
/* Tells whether it can be read: not while a commit is being copied. */
bool supervisor_is_readable(const struct supervisor *s);
bool supervisor_is_emulated(const struct supervisor *s);
/*
 * Moves the session, between cells, to other processes with a newly initialised device. The first
 * call fails with ERROR_PEER_GONE; a second one, when a worker has the session, returns the report
 * of what could not be brought back.
 */
int supervisor_renew(struct supervisor *s, struct buffer *ret_report, struct error *err);

int supervisor_set_limits(struct supervisor *s, uint64_t host_limit, uint64_t device_limit,
			  struct error *err);
/* Sets what happens to device buffers that a failed cell has written. */
int supervisor_set_rollback(struct supervisor *s, enum device_rollback mode, struct error *err);
enum device_rollback supervisor_rollback(const struct supervisor *s);
enum profile supervisor_profile(const struct supervisor *s);
/* supervisor_ceilings() returns the limits that nobody may exceed; supervisor_device_memory()
 * returns the whole of which `%limit gpu 40%` is a share. */
const struct limits *supervisor_ceilings(const struct supervisor *s);
uint64_t supervisor_device_memory(const struct supervisor *s);
void supervisor_limits(const struct supervisor *s, uint64_t *ret_host, uint64_t *ret_device);
/*
 * Shares device memory with all kernels that use the file; they see this one by its name. Called
 * once, after supervisor_launch(). On an error the session shares with nobody.
 */
int supervisor_share(struct supervisor *s, const char *path, const char *name, struct error *err);
/* Sets how long a cell waits for memory that others have; 0: not at all. */
void supervisor_set_wait(struct supervisor *s, uint64_t ms);
uint64_t supervisor_wait(const struct supervisor *s);
/* Appends who holds how much of the devices, as lines; nothing when it is this session alone. */
int supervisor_share_table(struct supervisor *s, struct buffer *out, struct error *err);
/* Returns memory_use_now(); behind supervisor_settle() it is what the session goes on with. Less
 * the base that a worker without a session needs, it is compared with the limit of host memory. */
struct memory_use;
struct memory_use supervisor_memory_use(const struct supervisor *s);

/* Returns memory_use_kept(). */
uint64_t supervisor_kept_bytes(const struct supervisor *s);

/* A row of %doctor: a feature that is in force, or not. */
struct doctor_row {
	const char *what;
	bool ok;
	const char *detail; /* version, figure */
	const char *mend;   /* the sentence that says how to fix it; "" when ok */
};
size_t supervisor_doctor(const struct supervisor *s, const struct doctor_row **ret);

#endif
