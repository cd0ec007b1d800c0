/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An error in a declaration of the session drops it; an error about two meanings of a name drops
 * the session's, which a note names; other reactions edit the cell's text, or keep a kernel
 * unchanged. Each depends on the kind of a diagnostic and its place, which names the session's
 * entry.
 */
#define _GNU_SOURCE
#include "compiler/frontend/cpp-tries.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/device/device-edits.h"
#include "compiler/frontend/compile.h"
#include "compiler/session/composition.h"
#include "compiler/session/session.h"
#include "compiler/text/token.h"

static uint32_t number_behind(const char *start, const char *file)
{
	size_t len = strlen(start);

	return strncmp(file, start, len) ? UINT32_MAX : (uint32_t)strtoul(file + len, NULL, 10);
}

uint32_t cpp_tries_entry_of(const char *file)
{
	return number_behind(COMPOSITION_PLACE, file);
}

/* Returns the entry for a place behind the cell, where kernels are recompiled. */
static uint32_t entry_anew(const char *file)
{
	return number_behind(COMPOSITION_ANEW, file);
}

bool cpp_tries_is_piece(const struct cpp_unit *x, uint32_t entry)
{
	return entry < x->n_entries &&
	       session_at(&x->compiler->session, entry)->kind == DECLARATION_CPP;
}

static void drop(struct cpp_unit *x, uint32_t entry, enum cpp_drop how, const char *why)
{
	if (entry >= x->n_entries || x->dropped[entry] > CPP_BEHIND)
		return;
	if (how == CPP_CLASHED && !x->dropped[entry] &&
	    cpp_pieces_can_declare(session_at(&x->compiler->session, entry)))
		how = CPP_DECLARED;
	x->dropped[entry] = how;
	x->why[entry] = why ? mem_pool_strdup(&x->pool, why) : NULL;
	x->again = true;
}

static bool add_shown(struct cpp_unit *x, const struct clang_diagnostic *d, uint32_t entry)
{
	const struct declaration *from = session_at(&x->compiler->session, entry);
	struct clang_diagnostic shown = *d;
	char place[32];

	if (from) {
		snprintf(place, sizeof(place), "In[%u]", from->cell);
		shown.file = place;
	}
	return cpp_diagnostics_add(&x->filter, &shown);
}

static void drop_suspect(struct cpp_unit *x)
{
	drop(x, x->suspect, CPP_REFUSED, x->suspect_why);
	x->suspect = UINT32_MAX;
}

/* Keeps the code of a kernel that does not compile with what the cell redefines. */
static void let_stay(struct cpp_unit *x, const struct clang_diagnostic *d, uint32_t entry)
{
	if (entry >= x->n_entries || x->stays[entry])
		return;
	if (!x->stays_why)
		x->stays_why = mem_pool_strdup(&x->pool, d->message);
	x->stays[entry] = true;
	x->anew[entry] = false;
	x->again = true;
}

void cpp_tries_tell_stays(struct cpp_unit *x)
{
	struct buffer *out = &x->diagnostics.warnings;
	const char *separator = ":";

	if (!x->stays_why)
		return;
	buffer_puts(out,
		    "note: with what this cell defines anew, CUDA kernels of other cells do not "
		    "compile. They go on with the old definition until their cells run again");
	for (uint32_t i = 0; i < x->n_entries; i++) {
		const struct declaration *d = session_at(&x->compiler->session, i);

		if (!x->stays[i])
			continue;
		buffer_printf(out, "%s %s (In[%u])", separator, d->device, d->cell);
		separator = ",";
	}
	buffer_printf(out, ". The first error: %s\n", x->stays_why);
}

/* Edits a place, once, and compiles the text again. */
static void edit(struct cpp_unit *x, long begin, long end, const char *with)
{
	long at = unit_text_find(&x->text, begin);

	if (at < 0 || edit_list_has(&x->edits, (uint32_t)at))
		return;
	with = mem_pool_strdup(&x->pool, with);
	x->no_memory |= !with;
	if (with)
		edit_list_add(&x->edits, (uint32_t)at, (uint32_t)(at + end - begin), with);
	edit_list_sort(&x->edits);
	x->again = true;
}

/* Examines a name in the cell, or in declarations of other cells. */
static void look_at_name(struct cpp_unit *x, const struct clang_diagnostic *d, uint32_t entry)
{
	bool in_text =
		d->offset >= 0 && (entry != UINT32_MAX || unit_text_find(&x->text, d->offset) >= 0);

	cpp_own_error(&x->own, buffer_text(&x->text.text), in_text ? d->offset : -1,
		      entry != UINT32_MAX);
}

static bool take_name(struct cpp_unit *x, const struct clang_diagnostic *d)
{
	char with[200];

	if (!cpp_own_take(&x->own, d, buffer_text(&x->cell.includes)))
		return false;
	snprintf(with, sizeof(with), "_Pragma(\"" CLANG_OWN " %s\") ", buffer_text(&x->own.clash));
	x->suspect = UINT32_MAX;
	if (x->own.in_session)
		x->again = true;
	else if (strlen(with) < sizeof(with) - 1)
		edit(x, x->own.offset, x->own.offset, with);
	return true;
}

/* Handles an error. Of two C++ declarations of the session that contradict each other the later one
 * counts; a note will name the earlier. */
static void on_error(struct cpp_unit *x, const struct clang_diagnostic *d, uint32_t entry)
{
	drop_suspect(x);
	/* The cell's meaning counts, and an earlier one is dropped. */
	x->last_clashed = d->kind == CLANG_CLASH;
	x->suspect = entry;
	look_at_name(x, d, entry);
	x->suspect_why = x->last_clashed && cpp_tries_is_piece(x, entry)
				 ? NULL
				 : mem_pool_strdup(&x->pool, d->message);
}

/* Handles an instantiation note: the template of the session is valid, the cell's use of it is
 * not. */
static void on_instantiation(struct cpp_unit *x, const struct clang_diagnostic *d)
{
	if (d->offset >= 0 && unit_text_find(&x->text, d->offset) >= 0)
		x->suspect = UINT32_MAX;
}

static void on_other_meaning(struct cpp_unit *x, const struct clang_diagnostic *d, uint32_t entry)
{
	/* Overloads are other meanings, too, but may all stay. */
	if (cpp_tries_is_piece(x, entry) && d->kind != CLANG_PREVIOUS)
		return;
	if (entry != UINT32_MAX)
		x->suspect = UINT32_MAX;
	drop(x, entry, CPP_CLASHED, NULL);
}

/* Adds a hint about a name of the standard library that is missing: its header is not included, or
 * is of an older version. */
static void add_missing(struct cpp_unit *x, const struct clang_diagnostic *d)
{
	char text[200];

	if (d->kind == CLANG_NO_FILE || strstr(buffer_text(&x->includes), d->header) ||
	    strstr(x->cell.text, d->header)) {
		diagnostics_hint(&x->diagnostics,
				 "the C++ library that is installed here is too old for that: it "
				 "comes with g++, of which a newer version has it");
	} else {
		snprintf(text, sizeof(text),
			 "it is declared in %s: `#include %s` in this cell, or in one before",
			 d->header, d->header);
		diagnostics_hint(&x->diagnostics, text);
	}
}

/*
 * Keeps "ignoring return value" until it is known whether that is the displayed expression. False:
 * it is another diagnostic.
 */
static bool keep_unused(struct cpp_unit *x, const struct clang_diagnostic *d)
{
	struct clang_diagnostic copy;

	if (strcmp(d->flag, "-Wunused-result") || d->include_file ||
	    !diagnostics_keep(d, &x->pool, &copy))
		return false;
	buffer_append(&x->unused, &copy, sizeof(copy));
	return true;
}

static void tell_unused(struct cpp_unit *x)
{
	const struct clang_diagnostic *d = (const void *)x->unused.data;

	for (size_t i = 0; i < x->unused.len / sizeof(*d); i++)
		if (!x->object.display_offset || d[i].offset < x->object.display_offset)
			add_shown(x, &d[i], cpp_tries_entry_of(d[i].file));
}

void cpp_tries_on_edit(void *context, unsigned begin, unsigned end, const char *with)
{
	edit(context, begin, end, with);
}

/* Changes `[x]` to `[x = x]`. */
static void capture_copy(struct cpp_unit *x, long offset)
{
	const char *name = buffer_text(&x->text.text) + offset;
	size_t len = 0;
	char with[300];

	while (isalnum((unsigned char)name[len]) || name[len] == '_')
		len++;
	snprintf(with, sizeof(with), " = %.*s", (int)len, name);
	edit(x, offset + (long)len, offset + (long)len, with);
}

/* Tells whether the text of the unit at `offset` calls a function that allocates memory. */
static bool gives_memory(const struct cpp_unit *x, long offset)
{
	static const char *const names[] = { "malloc",        "calloc",   "realloc", "reallocarray",
					     "aligned_alloc", "memalign", "alloca" };
	const char *at = buffer_text(&x->text.text) + offset;

	at += !strncmp(at, "std::", 5) ? 5 : !strncmp(at, "::", 2) ? 2 : 0;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		size_t len = strlen(names[i]);

		if (!strncmp(at, names[i], len) && at[len + strspn(at + len, " \t")] == '(')
			return true;
	}
	return false;
}

/* Adds the cast to `float *p = malloc(n);`, which C does not need. */
static void convert_memory(struct cpp_unit *x, const struct clang_diagnostic *d)
{
	if (!d->hint || d->range_begin < 0 || d->range_end < 0 || !gives_memory(x, d->range_begin))
		return;
	edit(x, d->range_begin, d->range_begin, "cgpu_memory{");
	edit(x, d->range_end, d->range_end, "}");
}

/* Rewrites device code that CUDA allows and clang does not. */
static void edit_device_code(struct cpp_unit *x, const struct clang_diagnostic *d)
{
	long offset = d->kind == CLANG_OTHER_TARGET ? x->last_error : d->offset,
	     at = unit_text_find(&x->text, offset);

	if (at < 0 || offset < 0)
		return;
	if (d->kind == CLANG_LAUNCH || d->kind == CLANG_OTHER_TARGET)
		x->again |= device_edit_launch(&x->cell.tokens, (uint32_t)at, &x->edits);
	else if (d->kind == CLANG_SHARED_INIT)
		x->again |= device_edit_shared(&x->cell.tokens, (uint32_t)at, &x->pool, &x->edits);
}

/* Makes the body of a kernel of the session available, since the PTX of this cell needs it. */
void cpp_tries_on_launched(void *context, const char *file)
{
	struct cpp_unit *x = context;
	uint32_t entry = cpp_tries_entry_of(file);

	if (!cpp_tries_is_piece(x, entry) || x->anew[entry] || x->stays[entry])
		return;
	x->anew[entry] = x->again = true;
}

void cpp_tries_on_diagnostic(void *context, const struct clang_diagnostic *d)
{
	struct cpp_unit *x = context;
	uint32_t entry = cpp_tries_entry_of(d->file);

	if (d->kind == CLANG_UNPOPPED || keep_unused(x, d))
		return;
	if (d->kind == CLANG_INSTANTIATED && !x->no_instances) {
		x->no_instances = x->again = true;
		return;
	}
	if (d->severity == CLANG_ERROR && entry_anew(d->file) != UINT32_MAX)
		let_stay(x, d, entry_anew(d->file));
	if (d->kind == CLANG_CAPTURES_GLOBAL && d->offset >= 0)
		capture_copy(x, d->offset);
	if (d->kind == CLANG_UNCONVERTED)
		convert_memory(x, d);
	edit_device_code(x, d);
	x->last_error = d->severity == CLANG_ERROR ? d->offset : x->last_error;
	if (d->severity == CLANG_ERROR)
		on_error(x, d, entry);
	else if (d->kind == CLANG_INSTANTIATION)
		on_instantiation(x, d);
	else if (d->severity == CLANG_NOTE && !take_name(x, d) && x->last_clashed)
		on_other_meaning(x, d, entry);
	if (add_shown(x, d, entry) && d->severity == CLANG_ERROR && d->header)
		add_missing(x, d);
}

void cpp_tries_tell_dropped(struct cpp_unit *x)
{
	struct buffer *out = &x->diagnostics.errors;

	for (uint32_t i = 0; i < x->n_entries; i++) {
		const struct declaration *d = session_at(&x->compiler->session, i);
		bool is_piece = d->kind == DECLARATION_CPP;
		const char *changed = NULL, *name = is_piece ? d->device : d->name;

		if (x->dropped[i] <= CPP_BEHIND || !*name || !token_list_has(&x->cell.tokens, name))
			continue;
		if (is_piece && x->dropped[i] == CPP_REFUSED)
			changed = cpp_dependents_changed(&x->dependents, &x->compiler->session,
							 d->host);
		if (changed)
			buffer_printf(out,
				      "note: '%s' of In[%u] was made with another '%s' than this "
				      "cell defines: run In[%u] again behind this definition\n",
				      name, d->cell, changed, d->cell);
		else if (x->why[i])
			buffer_printf(out,
				      "note: '%s' of In[%u] is not visible here, since it %s: %s\n",
				      name, d->cell,
				      is_piece ? "does not compile with what this cell defines"
					       : "is not valid C++",
				      x->why[i]);
	}
}

void cpp_tries_end(struct cpp_unit *x)
{
	tell_unused(x);
	cpp_diagnostics_end(&x->filter);
	drop_suspect(x);
	cpp_dependents_move(&x->dependents, &x->compiler->session, x->dropped);
}
