/* SPDX-License-Identifier: Apache-2.0 */
/* %help: all magics, or one. */
#include <string.h>

#include <jansson.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "kernel/protocol/publish.h"
#include "kernel/reports/magic-page.h"
#include "kernel/reports/view-display.h"
#include "kernel/session/cell.h"
#include "kernel/session/magic.h"
#include "kernel/session/output.h"
#include "kernel/session/request.h"
#include "kernel/session/session.h"
#include "kernel/views/presenter-view.h"

static int describe(struct session *s, const struct cell *c, const struct magic *m,
		    struct error *err)
{
	json_t *page = magic_page(m);

	if (!page)
		return error_set(err, ERROR_MEMORY, "out of memory");
	output_flush(&s->output);
	publish_display(&s->publisher, &c->request->message, page, "", false);
	return 0;
}

static int help(struct session *s, struct cell *c, const struct magic_call *call, struct error *err)
{
	const char *name = call->args + strspn(call->args, "%");
	const struct magic *m = magic_find(call->table, name);
	struct presenter_view view = { 0 };
	int r;

	if (m)
		return describe(s, c, m, err);
	if (*name) {
		m = magic_nearest(call->table, name);
		return error_set(err, ERROR_NOT_FOUND, "%%help: there is no magic %%%s%s%s", name,
				 m ? "; the nearest is " : "", m ? m->usage : "");
	}
	magic_page_list(call->table, &view);
	r = buffer_check(&view.text, err) || buffer_check(&view.html, err)
		    ? -1
		    : view_display(s, c, &view, err);
	presenter_view_release(&view);
	return r;
}

const struct magic magic_help = {
	.name = "help",
	.alias = "lsmagic",
	.forms = MAGIC_LINE | MAGIC_PARKED,
	.usage = "%help [NAME]",
	.help = "Lists all commands, or describes one of them.",
	.run = help,
	.word = MAGIC_WORD_MAGIC,
};
