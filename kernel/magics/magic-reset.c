/* SPDX-License-Identifier: Apache-2.0 */
/* %reset: empties the session, or drops some names. */
#include <fnmatch.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "kernel/declarations/declarations.h"
#include "kernel/declarations/setup.h"
#include "kernel/device/device-home.h"
#include "kernel/session/cell.h"
#include "kernel/session/magic.h"
#include "kernel/session/output.h"
#include "kernel/session/session.h"
#include "kernel/session/undo.h"

static int reset_all(struct session *s, struct cell *c, struct error *err)
{
	bool undoable;

	c->state_before = c->noted ? c->state_before : supervisor_state(s->supervisor);
	if (supervisor_reset(s->supervisor, &undoable, err))
		return error_wrap(err, "%%reset");
	if (undoable)
		undo_note_all(s, c);
	if (!undoable || declarations_empty(&s->declarations, NULL)) {
		declarations_clear(&s->declarations);
		undo_release(&s->undo);
	}
	session_tell_declarations(s);
	setup_forget(&s->setup);
	setup_again(&s->setup);
	s->told_main = false;
	output_printf(&s->output, STREAM_STDOUT, "The session is empty.%s\n",
		      s->undo.n ? " %undo brings it back."
				: " It was too large for %undo (--undo SIZE).");
	return 0;
}

static bool is_pattern(const char *word)
{
	return word[strcspn(word, "*?[")];
}

/* Adds a name, or the variables and functions that match a pattern. 0: nothing matches. */
static size_t add_names(struct session *s, const char *word, struct buffer *names)
{
	const struct unit_variable *v;
	size_t n = supervisor_variables(s->supervisor, &v), found = 0;

	for (size_t i = 0; i < n; i++) {
		if (fnmatch(word, v[i].name, 0))
			continue;
		buffer_append(names, v[i].name, strlen(v[i].name) + 1);
		found++;
	}
	if (!found && !is_pattern(word) && declarations_find(&s->declarations, word)) {
		buffer_append(names, word, strlen(word) + 1);
		found++;
	}
	return found;
}

/* Resets the device by a call in the cell's code, so that it is a transaction, too. */
static int reset_gpu(struct session *s, struct cell *c, struct error *err)
{
	if (device_home_is_missed(s->supervisor))
		return error_set(
			err, ERROR_UNSUPPORTED,
			"%%reset gpu: the device cannot be reached, so nothing of it can be freed. "
			"`%%gpu reset` tries it again, and gives up only what does not come; "
			"`%%reset` empties the whole session, and then `%%gpu use emulated` works");
	if (c->script.code[strspn(c->script.code, " \t\r\n")])
		return error_set(err, ERROR_INPUT, "%%reset gpu stands in a cell of its own");
	buffer_puts(&c->behind, "\n{ int cgpu_n = 0, cgpu_d = 0; cudaGetDevice(&cgpu_d); "
				"cudaGetDeviceCount(&cgpu_n); for (int i = 0; i < cgpu_n; i++) { "
				"cudaSetDevice(i); cudaDeviceReset(); } cudaSetDevice(cgpu_d); }");
	return buffer_check(&c->behind, err);
}

static int reset(struct session *s, struct cell *c, const struct magic_call *call,
		 struct error *err)
{
	cleanup_buffer struct buffer names = BUFFER_INIT;
	char *args = call->args, *word;

	while (*(word = magic_next_word(&args))) {
		if (!strcmp(word, "-f"))
			continue; /* there is no question to confirm, as in IPython with -f */
		if (!strcmp(word, "gpu") && !declarations_find(&s->declarations, word))
			return reset_gpu(s, c, err);
		if (!add_names(s, word, &names))
			return error_set(
				err, ERROR_INPUT,
				"%%reset: nothing is called '%s'; %%whos lists what there is",
				word);
	}
	if (!names.len && !names.failed)
		return reset_all(s, c, err);
	if (buffer_check(&names, err))
		return -1;
	s->hooks->drop(s, &names);
	return 1;
}

const struct magic magic_reset = {
	.name = "reset",
	.alias = "",
	.forms = MAGIC_LINE,
	.usage = "%reset [-f] [gpu|NAME...]",
	.help = "Forgets all variables, functions, types, macros, includes and device "
		"buffers, or these names.\n\n"
		"NAME may be a pattern such as `tmp*`. Limits and flags stay. `%undo` "
		"brings all back, if it is not too much.\n\n"
		"`%reset gpu` frees the device memory of the session only, as "
		"cudaDeviceReset() does: variables stay, also those of the device.",
	.run = reset,
	.words = "-f gpu",
	.word = MAGIC_WORD_VARIABLE,
};
