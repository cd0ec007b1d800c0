/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text of the kinds that front ends draw. What text/plain has: of Markdown, LaTeX and JSON the text
 * itself, which people can read; of HTML what stands between the tags; of a picture in SVG its
 * title, or that it is one. Whether JSON is JSON is found by the kernel process, whose parser it
 * goes through anyway.
 */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/error.h"
#include "common/cell-display.h"
#include "runtime/display/display.h"

struct rich_text {
	const char *mime;
	void (*put_plain)(const char *text, struct buffer *out);
};

/* What browsers show of "&lt;": the few names that text cannot do without. */
static const char *put_entity(const char *p, struct buffer *out)
{
	static const struct {
		const char *name, *text;
	} entities[] = { { "&lt;", "<" },    { "&gt;", ">" },   { "&amp;", "&" },
			 { "&quot;", "\"" }, { "&nbsp;", " " }, { "&#39;", "'" } };

	for (size_t i = 0; i < sizeof(entities) / sizeof(entities[0]); i++) {
		size_t len = strlen(entities[i].name);

		if (!strncmp(p, entities[i].name, len)) {
			buffer_puts(out, entities[i].text);
			return p + len;
		}
	}
	buffer_putc(out, *p);
	return p + 1;
}

/* Elements behind which a browser begins a new line. */
static bool ends_line(const char *tag)
{
	static const char *const tags[] = { "<br",  "</p",  "</div", "</tr", "</li",
					    "</h1", "</h2", "</h3",  "</h4", "</pre" };

	for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
		size_t len = strlen(tags[i]);

		if (!strncasecmp(tag, tags[i], len) && strchr("> /", tag[len]))
			return true;
	}
	return false;
}

/* The end of an element whose content is not text for people; NULL: it is another one. */
static const char *skip_element(const char *p)
{
	const char *end = NULL;

	if (!strncasecmp(p, "<style", 6))
		end = strcasestr(p, "</style");
	else if (!strncasecmp(p, "<script", 7))
		end = strcasestr(p, "</script");
	else if (!strncmp(p, "<!--", 4))
		end = strstr(p + 4, "-->");
	return end;
}

static void html_plain(const char *text, struct buffer *out)
{
	const char *p = text;

	while (*p) {
		const char *inner = *p == '<' ? skip_element(p) : NULL, *end;

		if (*p == '&') {
			p = put_entity(p, out);
			continue;
		}
		end = *p == '<' ? strchr(inner ? inner : p, '>') : NULL;
		if (!end) {
			buffer_putc(out, *p++);
			continue;
		}
		/* A cell of a table is apart from the next one. */
		if (!strncasecmp(p, "</td", 4) || !strncasecmp(p, "</th", 4))
			buffer_putc(out, ' ');
		if (ends_line(p))
			buffer_putc(out, '\n');
		p = end + 1;
	}
	while (out->len && strchr(" \n", out->data[out->len - 1]))
		out->data[--out->len] = '\0';
}

static void same_plain(const char *text, struct buffer *out)
{
	buffer_puts(out, text);
}

static void svg_plain(const char *text, struct buffer *out)
{
	const char *title = strstr(text, "<title>"),
		   *end = title ? strstr(title, "</title>") : NULL;

	buffer_puts(out, "picture in SVG");
	if (!end)
		return;
	buffer_puts(out, ": ");
	buffer_append(out, title + 7, (size_t)(end - title - 7));
}

static const struct rich_text html = { "text/html", html_plain };
static const struct rich_text markdown = { "text/markdown", same_plain };
static const struct rich_text latex = { "text/latex", same_plain };
static const struct rich_text svg = { "image/svg+xml", svg_plain };
static const struct rich_text json = { "application/json", same_plain };

static void show(const struct rich_text *kind, const char *name, const char *text)
{
	cleanup_bundle struct display_bundle b = DISPLAY_BUNDLE_INIT;
	struct display_call call = display_begin(name);
	cleanup_buffer struct buffer plain = BUFFER_INIT;
	struct error err = ERROR_INIT;
	int rc = 0;

	if (text) {
		kind->put_plain(text, &plain);
		display_put(&b, kind->mime, text, strlen(text));
		display_put_buffer(&b, "text/plain", &plain);
		rc = display_send(&b, NULL, false, &err);
	} else {
		rc = error_set(&err, ERROR_INPUT, "the text is NULL");
	}
	display_end(&call, rc, &err);
}

/* The format is the cell's, and so is the locale that its numbers have. */
static void show_formatted(const struct rich_text *kind, const char *name, const char *format,
			   va_list values)
{
	char *text = NULL;

	if (format && vasprintf(&text, format, values) < 0)
		text = NULL;
	show(kind, name, text);
	free(text);
}

#define RICH_TEXT(kind)                                                                            \
	void cgpu_##kind(const char *text)                                                         \
	{                                                                                          \
		show(&kind, "cgpu_" #kind, text);                                                  \
	}                                                                                          \
	void cgpu_##kind##f(const char *format, ...)                                               \
	{                                                                                          \
		va_list values;                                                                    \
                                                                                                   \
		va_start(values, format);                                                          \
		show_formatted(&kind, "cgpu_" #kind "f", format, values);                          \
		va_end(values);                                                                    \
	}

RICH_TEXT(html)
RICH_TEXT(markdown)
RICH_TEXT(latex)
RICH_TEXT(svg)
RICH_TEXT(json)
