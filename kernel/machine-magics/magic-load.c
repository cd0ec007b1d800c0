/* SPDX-License-Identifier: Apache-2.0 */
/* %load: puts a file into the cell, to be changed and run. */
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "kernel/machine-magics/file-read.h"
#include "kernel/session/cell.h"
#include "kernel/session/magic.h"
#include "kernel/session/session.h"
#include "kernel/show/utf8-json.h"

static void on_read(struct session *s, struct cell *c, char *content, const char *why)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;
	const struct magic_call *call = &c->script.calls[c->next_magic - 1];
	struct error err = ERROR_INIT;

	if (content) {
		buffer_printf(&text, "// %%load %s\n%s", call->args, content);
		json_array_append_new(c->payload,
				      json_pack("{ss so sb}", "source", "set_next_input", "text",
						utf8_json(buffer_text(&text), text.len), "replace",
						1));
	} else {
		error_set(&err, ERROR_NOT_FOUND, "%%load: %s: %s", call->args, why);
	}
	free(content);
	s->hooks->magic_done(s, content ? NULL : &err);
}

static int load(struct session *s, struct cell *c, const struct magic_call *call, struct error *err)
{
	if (!*call->args)
		return error_set(err, ERROR_INPUT, "%%load: which file? %s", call->magic->usage);
	return file_read_start(s, c, call->args, on_read, err) ? error_wrap(err, "%%load") : 1;
}

const struct magic magic_load = {
	.name = "load",
	.alias = "",
	.forms = MAGIC_LINE | MAGIC_PARKED,
	.usage = "%load FILE",
	.help = "Puts the text of a file into the cell, in place of this line.",
	.run = load,
	.word = MAGIC_WORD_FILE,
};
