/* SPDX-License-Identifier: Apache-2.0 */
/* %%html, %%markdown, %%latex and %%svg: show the rest of the cell in that format. */
#include "kernel/protocol/publish.h"
#include "kernel/session/cell.h"
#include "kernel/session/magic.h"
#include "kernel/session/output.h"
#include "kernel/session/request.h"
#include "kernel/session/session.h"

static int show(struct session *s, struct cell *c, const struct magic_call *call, const char *mime)
{
	output_flush(&s->output);
	publish_display(&s->publisher, &c->request->message,
			json_pack("{ss ss}", mime, call->body, "text/plain", call->body), "",
			false);
	return 0;
}

#define DISPLAY(symbol, mime, what)                                                                \
	static int show_##symbol(struct session *s, struct cell *c, const struct magic_call *call, \
				 struct error *err)                                                \
	{                                                                                          \
		(void)err;                                                                         \
		return show(s, c, call, mime);                                                     \
	}                                                                                          \
	const struct magic magic_##symbol = {                                                      \
		.name = #symbol,                                                                   \
		.alias = "",                                                                       \
		.forms = MAGIC_CELL,                                                               \
		.usage = "%%" #symbol,                                                             \
		.help = "Shows the rest of the cell as " what ".",                                 \
		.run = show_##symbol,                                                              \
	}

DISPLAY(html, "text/html", "HTML");
DISPLAY(markdown, "text/markdown", "Markdown");
DISPLAY(latex, "text/latex", "LaTeX");
DISPLAY(svg, "image/svg+xml", "an SVG picture");
