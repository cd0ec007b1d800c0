/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file of a page is looked for here, since man takes a tenth of a second to find none. What man
 * prints has headings at the left border, subheadings by three columns to the right, and text by
 * more. It may print bold and underlined letters twice, with a backspace between.
 */
#include "compiler/inspect/manual.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "compiler/device/tool-folder.h"
#include "compiler/device/tool.h"

#define MAN_MS 3000
#define USUAL_FOLDERS "/usr/local/share/man:/usr/share/man"
#define SUBHEADING 3 /* columns in front of it */

/* What is shown of a page. */
static const struct part {
	const char *heading;
	unsigned paragraphs, lines; /* at most */
} parts[] = {
	{ "NAME", 1, 6 },
	{ "SYNOPSIS", 100, 30 },
	{ "DESCRIPTION", 2, 24 },
	{ "RETURN VALUE", 100, 20 },
};

/* Where a page is. */
struct place {
	char *folder; /* owned */
	char section;
};

void manual_release(struct manual *m)
{
	for (size_t i = 0; i < MANUAL_PAGES_MAX; i++) {
		free(m->pages[i].name);
		free(m->pages[i].text);
	}
	*m = (struct manual){ 0 };
}

static bool has_page(const char *folder, char section, const char *name)
{
	static const char *const packed[] = { "", ".gz", ".xz", ".zst", ".bz2" };
	bool has = false;

	for (size_t i = 0; i < sizeof(packed) / sizeof(packed[0]) && !has; i++) {
		cleanup_buffer struct buffer path = BUFFER_INIT;

		buffer_printf(&path, "%s/man%c/%s.%c%s", folder, section, name, section, packed[i]);
		has = !access(buffer_text(&path), R_OK);
	}
	return has;
}

/* False: there is no page. As in $MANPATH of man, an empty name stands for the usual folders. */
static bool find_page(const char *name, struct place *ret)
{
	const char *given = getenv("MANPATH"), *at = given ? given : "";
	cleanup_buffer struct buffer all = BUFFER_INIT;

	for (;; at++) {
		size_t len = strcspn(at, ":");

		buffer_append(&all, len ? at : USUAL_FOLDERS, len ? len : strlen(USUAL_FOLDERS));
		buffer_putc(&all, ':');
		at += len;
		if (!*at)
			break;
	}
	for (char section = '2'; section <= '3'; section++) {
		cleanup_free char *list = strdup(buffer_text(&all));
		char *rest = NULL, *folder = list ? strtok_r(list, ":", &rest) : NULL;

		for (; folder; folder = strtok_r(NULL, ":", &rest)) {
			if (!has_page(folder, section, name))
				continue;
			*ret = (struct place){ strdup(folder), section };
			return ret->folder != NULL;
		}
	}
	return false;
}

/* Has man make text of the page. English, without hyphens and without more than one blank between
 * words; what it confines itself with is not for a process that is confined already. */
static int print_page(const struct place *p, const char *name, struct buffer *ret,
		      struct error *err)
{
	const char section[] = { p->section, '\0' };
	const char *const argv[] = { "env",
				     "LC_ALL=C",
				     "MANWIDTH=80",
				     "MANOPT=--nh --nj",
				     "MANPAGER=cat",
				     "MAN_DISABLE_SECCOMP=1",
				     "man",
				     "-M",
				     p->folder,
				     "-s",
				     section,
				     name,
				     NULL };
	cleanup_buffer struct buffer log = BUFFER_INIT;
	struct tool_folder folder = { 0 };
	int failed = tool_folder_make(&folder, "man", 0, err);

	buffer_printf(&log, "%s/text", folder.path);
	if (!failed)
		failed = tool_run_within(&folder, buffer_text(&log), argv, MAN_MS, err);
	if (failed > 0)
		error_set(err, ERROR_SYSTEM, "man did not show it");
	if (!failed)
		failed = tool_read_file(buffer_text(&log), ret, err);
	tool_folder_remove(&folder);
	return failed ? -1 : 0;
}

/* Takes the letters off that were printed to be overwritten. */
static void strip(struct buffer *page)
{
	size_t to = 0;

	for (size_t i = 0; i < page->len; i++) {
		if (page->data[i] != '\b')
			page->data[to++] = page->data[i];
		else if (to)
			to--;
	}
	page->len = to;
	page->data[to] = '\0';
}

/* Returns where the next line begins. */
static const char *line_behind(const char *at)
{
	at += strcspn(at, "\n");
	return *at ? at + 1 : at;
}

/* Returns the first line below the heading; NULL: there is no such heading. */
static const char *below(const char *page, const char *heading)
{
	while (*page && strncmp(page, heading, strlen(heading)) != 0)
		page = line_behind(page);
	return *page ? line_behind(page) : NULL;
}

static void put_part(const char *page, const struct part *part, struct buffer *out)
{
	unsigned paragraphs = 1, lines = 0;
	bool was_blank = false;
	const char *at = below(page, part->heading);

	if (!at)
		return;
	buffer_printf(out, "%s%s\n", out->len ? "\n" : "", part->heading);
	for (; *at; at = line_behind(at)) {
		size_t blanks = strspn(at, " "), len = strcspn(at, "\n");

		if (blanks == len) {
			was_blank = true;
			continue;
		}
		paragraphs += was_blank && lines;
		if (blanks <= SUBHEADING || paragraphs > part->paragraphs || lines == part->lines)
			break;
		buffer_printf(out, "%s%.*s\n", was_blank && lines ? "\n" : "", (int)len, at);
		was_blank = false;
		lines++;
	}
	if (lines == part->lines)
		buffer_puts(out, "       ...\n");
}

/* Returns the parts of the page that are shown, as a block of text, or "". */
static char *shown_of(const struct place *p, const char *name)
{
	cleanup_buffer struct buffer page = BUFFER_INIT, shown = BUFFER_INIT, ret = BUFFER_INIT;
	struct error err = ERROR_INIT;

	if (print_page(p, name, &page, &err)) {
		log_info("manual page %s(%c): %s", name, p->section, err.text);
		return strdup("");
	}
	if (!page.len)
		return strdup("");
	strip(&page);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		put_part(page.data, &parts[i], &shown);
	if (shown.len && !strstr(shown.data, "```"))
		buffer_printf(&ret, "```\n%s\n`man %c %s` has all of it.\n```", shown.data,
			      p->section, name);
	return buffer_steal(&ret);
}

static const char *find(const struct manual *m, const char *name)
{
	for (size_t i = 0; i < MANUAL_PAGES_MAX && m->pages[i].name; i++)
		if (!strcmp(m->pages[i].name, name))
			return m->pages[i].text;
	return NULL;
}

/* Returns what is known from now on; NULL when memory is out. */
static const char *look_up(struct manual *m, const char *name)
{
	struct place place = { 0 };
	char *text = find_page(name, &place) ? shown_of(&place, name) : strdup(""),
	     *key = strdup(name);
	struct manual_page *page = &m->pages[m->next];

	free(place.folder);
	if (!text || !key) {
		free(text);
		free(key);
		return NULL;
	}
	free(page->name);
	free(page->text);
	*page = (struct manual_page){ key, text };
	m->next = (m->next + 1) % MANUAL_PAGES_MAX;
	return text;
}

void manual_put(struct manual *m, const char *name, struct buffer *out)
{
	const char *known = find(m, name), *text = known ? known : look_up(m, name);

	if (text && *text)
		buffer_printf(out, "%s%s", out->len ? "\n\n" : "", text);
}
