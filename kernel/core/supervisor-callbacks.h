/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the supervisor tells the session layer. The parts of the supervisor fill in how a cell
 * ended; the session layer, which started the cell, gets it in a callback.
 */
#ifndef CGPU_KERNEL_CORE_SUPERVISOR_CALLBACKS_H
#define CGPU_KERNEL_CORE_SUPERVISOR_CALLBACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/protocol/output-ring.h"

struct buffer;
struct unit;

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
	const struct buffer *profile; /* common/protocol/launch-profile.h; NULL: none was asked for,
					 or why there is none: */
	const char *no_profile;       /* "" */
	const struct buffer *trace;   /* common/protocol/device-trace.h, also of a cell whose device
					 code has   failed; NULL: none, or why: */
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

#endif
