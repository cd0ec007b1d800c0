/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A listing as text, and as HTML that needs no script and no style sheet and loads nothing: colours
 * are transparent, so that they suit light pages and dark ones.
 */
#include "compiler/inspect/listing.h"

#include <string.h>

#include "common/base/buffer.h"
#include "common/text/html-text.h"

#define SOURCE_STYLE "display:block;background:rgba(66,133,244,.18)"
#define FAINT_STYLE "opacity:.6"

/* Tells whether a function is shown; rows outside of functions are shown with all of them. */
static bool is_asked_for(const struct listing_function *f, const char *name)
{
	return *f->name ? listing_function_is(f, name) : !*name;
}

static const char *kind_of(const struct listing_function *f)
{
	return f->is_entry ? "entry" : "device function";
}

static void put_text(const struct listing *l, const struct listing_function *f, struct buffer *out)
{
	if (*f->name)
		buffer_printf(out, "// %s: %s, %zu instructions\n", f->shown, kind_of(f),
			      f->instructions);
	for (size_t i = f->first; i < f->first + f->n; i++) {
		const struct listing_row *r = &l->rows[i];

		if (r->kind == LISTING_SOURCE)
			buffer_printf(out, "    // %s\n", r->text);
		else
			buffer_printf(out, "%s%s\n", r->kind == LISTING_CODE ? "        " : "",
				      r->text);
	}
	buffer_putc(out, '\n');
}

void listing_text(const struct listing *l, const char *name, struct buffer *out)
{
	for (size_t i = 0; i < l->n_functions; i++)
		if (is_asked_for(&l->functions[i], name))
			put_text(l, &l->functions[i], out);
}

static void put_row(const struct listing_row *r, struct buffer *out)
{
	static const char *const open[] = {
		[LISTING_SOURCE] = "<span style=\"" SOURCE_STYLE "\">",
		[LISTING_CODE] = "        ",
		[LISTING_LABEL] = "<b>",
		[LISTING_OTHER] = "<span style=\"" FAINT_STYLE "\">",
	};
	static const char *const close[] = { "</span>", "\n", "</b>\n", "</span>\n" };

	buffer_puts(out, open[r->kind]);
	html_text(out, r->text, strlen(r->text));
	buffer_puts(out, close[r->kind]);
}

static void put_html(const struct listing *l, const struct listing_function *f, struct buffer *out)
{
	buffer_printf(out, "<details%s><summary><code>", *f->name ? " open=\"open\"" : "");
	html_text(out, *f->name ? f->shown : "module", strlen(*f->name ? f->shown : "module"));
	buffer_puts(out, "</code>");
	if (*f->name)
		buffer_printf(out, " %s, %zu instructions", kind_of(f), f->instructions);
	buffer_puts(out,
		    "</summary><pre style=\"line-height:1.3;margin:0 0 1em 1em;overflow-x:auto\">");
	for (size_t i = f->first; i < f->first + f->n; i++)
		put_row(&l->rows[i], out);
	buffer_puts(out, "</pre></details>\n");
}

void listing_html(const struct listing *l, const char *name, struct buffer *out)
{
	buffer_puts(out, "<div>\n");
	for (size_t i = 0; i < l->n_functions; i++)
		if (is_asked_for(&l->functions[i], name))
			put_html(l, &l->functions[i], out);
	buffer_puts(out, "</div>\n");
}
