/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The callbacks from the supervisor to the session layer. The parts of the supervisor record how a
 * cell ended; the session layer, which started the cell, gets that record in a callback.
 */
#ifndef CGPU_KERNEL_CORE_SUPERVISOR_CALLBACKS_H
#define CGPU_KERNEL_CORE_SUPERVISOR_CALLBACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/protocol/output-ring.h"

struct buffer;
struct compiled_unit;

/* How a cell ended, after commit or rollback. The texts are borrowed for the duration of the
 * callback. */
struct cell_end {
	bool ok;
	bool discarded; /* a checked cell: nothing of it is kept, although it is ok */
	bool interrupted;
	bool rolled_back;
	bool set_aside; /* of a cell that was rolled back: session_redo() brings back what it did */
	/* The state at the last checkpoint is kept, whatever became of the rest. */
	bool checkpointed;
	bool whole;         /* it ran to its end, so the names that it drops are dropped */
	const char *ename;  /* "" when ok */
	const char *evalue; /* one line */
	/* Names that the cell needs and nobody defines, with blanks between; "" for none. */
	const char *missing;
	/* Lines, "\n" separated: the complete text for the user. ANSI colours are allowed. */
	const char *traceback;
	const char *warnings; /* lines for stderr, "" for none */
	/* The restore report, lines: what could not be brought back; "" for none. */
	const char *restored;
	/* The format is that of common/protocol/launch-profile.h; NULL: none was asked for, or
	 * no_profile says why there is none. */
	const struct buffer *profile;
	const char *no_profile; /* "" for no reason */
	/* The format is that of common/protocol/device-trace.h; there is one also when the cell's
	 * device code has failed. NULL: none was asked for, or no_trace says why there is none. */
	const struct buffer *trace;
	const char *no_trace; /* "" for no reason */
	uint64_t run_ns, load_ns, commit_ns;
	uint64_t committed_bytes;
	uint64_t saved_ns, saved_bytes; /* copied from device memory, for a rollback */
	uint64_t read_ns, read_bytes;   /* read for digests of device memory that was not copied */
};

struct supervisor_callbacks {
	/* Delivers a unit for supervisor_run(), or NULL with the diagnostics. It is borrowed:
	 * compiled_unit_keep() keeps it. */
	void (*on_compiled)(void *data, struct compiled_unit *unit, const char *headline,
			    const char *diagnostics);
	/* Delivers output in order. The text may end within a UTF-8 character. OUTPUT_RESULT comes
	 * just before on_cell_end, after the commit. */
	void (*on_output)(void *data, enum output_type type, const char *bytes, size_t len);
	void (*on_input_request)(void *data, const char *prompt, bool password);
	void (*on_cell_end)(void *data, const struct cell_end *end);
	/* Tells that the cell at work stands, or does not stand any more (cell-stop.h). May be
	 * NULL. */
	void (*on_stopped)(void *data, bool stands);
	/* Tells, between cells, that a worker has the session again, or that none can be had at the
	 * moment. May be NULL. */
	void (*on_session)(void *data);
};

#endif
