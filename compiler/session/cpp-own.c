/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An error and the note behind it are judged together: the error gives the identifier at its
 * place, the note tells whether the other declaration is in a system header that the cell did not
 * include itself. `<ctime>` counts as <time.h>, whose names it brings. Names of the session are
 * remembered and written as #pragma lines in front of every later try; each is taken once, so the
 * tries end. A name of the cell is not kept here: the caller writes the pragma at the place of the
 * error.
 */
#include "compiler/session/cpp-own.h"

#include <ctype.h>
#include <string.h>

#include "compiler/clang/job/clang-shim.h"

#define DIRECTIVE "#pragma " CLANG_OWN " "

void cpp_own_release(struct cpp_own *o)
{
	buffer_release(&o->session);
	buffer_release(&o->clash);
}

void cpp_own_error(struct cpp_own *o, const char *text, long offset, bool in_session)
{
	const char *at = offset < 0 ? NULL : text + offset;
	size_t len = 0;

	buffer_clear(&o->clash);
	o->in_session = in_session;
	o->offset = offset;
	while (at && (isalnum((unsigned char)at[len]) || at[len] == '_'))
		len++;
	if (len && !isdigit((unsigned char)*at))
		buffer_append(&o->clash, at, len);
}

static bool has(const struct buffer *names, const char *name)
{
	for (size_t i = 0; i < names->len; i += strlen(names->data + i) + 1)
		if (!strcmp(names->data + i, name))
			return true;
	return false;
}

static bool ends_with(const char *file, const char *name, size_t len)
{
	size_t all = strlen(file);

	return all > len && file[all - len - 1] == '/' && !strncmp(file + all - len, name, len);
}

/* Tells whether the cell has `#include <time.h>`, or <ctime>, which brings the same names. */
static bool is_included(const char *file, const char *includes)
{
	for (const char *at = includes; (at = strchr(at, '<'));) {
		const char *name = ++at;
		size_t len = strcspn(name, ">"), stem = strlen(file) - 2;

		if (ends_with(file, name, len) ||
		    (*name == 'c' && len - 1 <= stem && !strcmp(file + stem, ".h") && stem > len &&
		     file[stem - len] == '/' &&
		     !strncmp(file + stem - (len - 1), name + 1, len - 1)))
			return true;
	}
	return false;
}

bool cpp_own_take(struct cpp_own *o, const struct clang_diagnostic *note, const char *includes)
{
	const char *name = buffer_text(&o->clash);

	if (!*name || note->kind != CLANG_PREVIOUS || !note->in_system_header ||
	    is_included(note->file, includes))
		return false;
	if (o->in_session && has(&o->session, name))
		return false;
	if (o->in_session)
		buffer_append(&o->session, name, strlen(name) + 1);
	return !buffer_check(&o->session, NULL);
}

void cpp_own_write(const struct cpp_own *o, struct buffer *out)
{
	const struct buffer *names = &o->session;

	for (size_t i = 0; i < names->len; i += strlen(names->data + i) + 1)
		buffer_printf(out, "\n" DIRECTIVE "%s\n", names->data + i);
}

const char *cpp_own_behind(const char *piece)
{
	while (!strncmp(piece, DIRECTIVE, strlen(DIRECTIVE)) || !strncmp(piece, "#line ", 6)) {
		piece += strcspn(piece, "\n");
		piece += *piece == '\n';
	}
	return piece;
}
