/* SPDX-License-Identifier: Apache-2.0 */
/* Three forms of one description; a front end shows the richest that it knows. */
#include "kernel/reports/inspected.h"

#include <string.h>

#include "common/base/buffer.h"
#include "common/base/record.h"
#include "common/protocol/compiler-protocol.h"
#include "kernel/base/utf8.h"
#include "kernel/reports/markdown-html.h"
#include "kernel/session/result.h"
#include "kernel/session/session.h"
#include "kernel/show/utf8-json.h"
#include "kernel/supervisor/supervisor.h"

#define VALUE_CHARACTERS 400

/* The texts are borrowed from the answer but for the value. */
struct inspected {
	const char *code;
	size_t mark_begin, mark_end; /* the parameter at the cursor, in `code` */
	const char *what, *comment;
	struct buffer value;
};

static const struct unit_variable *find_variable(struct session *s, const char *name)
{
	const struct unit_variable *v;

	for (size_t n = supervisor_variables(s->supervisor, &v); n; n--, v++)
		if (!v->is_function && !strcmp(v->name, name))
			return v;
	return NULL;
}

static bool has_mark(const struct inspected *i)
{
	return i->mark_begin < i->mark_end && i->mark_end <= strlen(i->code);
}

static void put_text(const struct inspected *i, struct buffer *out)
{
	buffer_printf(out, "%s\n%s", i->code, i->what);
	if (has_mark(i))
		buffer_printf(out, "\nat the cursor: %.*s", (int)(i->mark_end - i->mark_begin),
			      i->code + i->mark_begin);
	if (i->value.len)
		buffer_printf(out, "\nvalue: %s", i->value.data);
	if (*i->comment)
		buffer_printf(out, "\n\n%s", i->comment);
}

/* Puts text between fences that are longer than each row of backquotes in it. */
static void put_fenced(const char *language, const char *text, struct buffer *out)
{
	size_t longest = 2;

	for (const char *at = text; (at = strchr(at, '`')); at += strspn(at, "`"))
		longest = strspn(at, "`") > longest ? strspn(at, "`") : longest;
	for (size_t i = 0; i <= longest; i++)
		buffer_putc(out, '`');
	buffer_printf(out, "%s\n%s\n", language, text);
	for (size_t i = 0; i <= longest; i++)
		buffer_putc(out, '`');
	buffer_puts(out, "\n\n");
}

static void put_markdown(const struct inspected *i, struct buffer *out)
{
	put_fenced("cpp", i->code, out);
	buffer_printf(out, "%s\n\n", i->what);
	if (has_mark(i)) {
		buffer_puts(out, "At the cursor: ");
		buffer_printf(out, "**`%.*s`**\n\n", (int)(i->mark_end - i->mark_begin),
			      i->code + i->mark_begin);
	}
	if (i->value.len) {
		buffer_puts(out, "Value:\n\n");
		put_fenced("", i->value.data, out);
	}
	buffer_puts(out, i->comment);
}

static void put_html(const struct inspected *i, struct buffer *out)
{
	size_t len = strlen(i->code), begin = has_mark(i) ? i->mark_begin : len,
	       end = has_mark(i) ? i->mark_end : len;

	buffer_puts(out, "<pre style=\"margin-left: 0\"><code>");
	utf8_html(i->code, begin, out);
	buffer_puts(out, begin < end ? "<b><u>" : "");
	utf8_html(i->code + begin, end - begin, out);
	buffer_puts(out, begin < end ? "</u></b>" : "");
	utf8_html(i->code + end, len - end, out);
	buffer_puts(out, "</code></pre><p>");
	utf8_html(i->what, strlen(i->what), out);
	buffer_puts(out, "</p>");
	if (i->value.len) {
		buffer_puts(out, "<p>Value:</p><pre style=\"margin-left: 0\">");
		utf8_html(i->value.data, i->value.len, out);
		buffer_puts(out, "</pre>");
	}
	markdown_html(out, i->comment);
}

static json_t *bundle(const struct inspected *i)
{
	cleanup_buffer struct buffer text = BUFFER_INIT, markdown = BUFFER_INIT, html = BUFFER_INIT;

	put_text(i, &text);
	put_markdown(i, &markdown);
	put_html(i, &html);
	return json_pack("{so so so}", "text/plain", utf8_json(buffer_text(&text), text.len),
			 "text/markdown", utf8_json(buffer_text(&markdown), markdown.len),
			 "text/html", utf8_json(buffer_text(&html), html.len));
}

json_t *inspected_bundle(struct session *s, const char *name, bool with_source, uint32_t type,
			 const void *payload, size_t len)
{
	struct record r = record_open(payload, payload ? len : 0);
	struct inspected i = { 0 };
	const char *source;
	const struct unit_variable *v;
	bool of_session;
	json_t *ret = NULL;

	if (!payload || type != COMPILER_INSPECTED || !record_u8(&r))
		return NULL;
	of_session = record_u8(&r) != 0;
	i.code = record_str(&r);
	i.mark_begin = record_u32(&r);
	i.mark_end = record_u32(&r);
	i.what = record_str(&r);
	i.comment = record_str(&r);
	source = record_str(&r);
	if (with_source && *source) {
		i.code = source;
		i.mark_begin = i.mark_end = 0;
	}
	v = of_session ? find_variable(s, name) : NULL;
	if (v)
		result_variable(s, v, VALUE_CHARACTERS, &i.value);
	if (!r.failed && !buffer_check(&i.value, NULL))
		ret = bundle(&i);
	buffer_release(&i.value);
	return ret;
}
