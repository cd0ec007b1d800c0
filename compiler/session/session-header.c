/* SPDX-License-Identifier: Apache-2.0 */
/* Files are made and validated like the headers of C++ cells: compiler/session/cpp-header.c. */
#include "compiler/session/session-header.h"

#include <string.h>

#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/code/unit.h"
#include "compiler/session/session.h"

void session_header_release(struct session_header *h)
{
	cpp_header_watch_release(&h->watch);
	buffer_release(&h->path);
	buffer_release(&h->refused);
}

static bool is_directive(const struct declaration *d)
{
	return *d->host && (d->kind == DECLARATION_INCLUDE || d->kind == DECLARATION_MACRO);
}

/* Returns the index behind the last include; 0 where there is none. */
static uint32_t end_of_includes(const struct compiler_session *session)
{
	uint32_t end = 0;

	for (uint32_t i = 0; i < session_count(session); i++)
		if (session_at(session, i)->kind == DECLARATION_INCLUDE &&
		    *session_at(session, i)->host)
			end = i + 1;
	return end;
}

/* Tells whether a declaration can be precompiled: a file in quotes is a user's own; a pragma may
 * apply only to what follows. */
static bool is_suitable(const struct declaration *d)
{
	return d->kind == DECLARATION_MACRO ||
	       (d->kind == DECLARATION_INCLUDE && strchr(d->host, '<'));
}

static bool is_defined_anew(const struct declaration *d, const struct session_mask *masks,
			    size_t n_masks)
{
	for (size_t i = 0; d->kind == DECLARATION_MACRO && i < n_masks; i++)
		if (strlen(d->name) == masks[i].len &&
		    !memcmp(d->name, masks[i].name, masks[i].len))
			return true;
	return false;
}

/* Collects the text. False: the cell cannot use a header for it. */
static bool collect(const struct compiler_session *session, const struct session_mask *masks,
		    size_t n_masks, struct buffer *ret)
{
	uint32_t end = end_of_includes(session);

	for (uint32_t i = 0; i < end; i++) {
		const struct declaration *d = session_at(session, i);

		if (!is_directive(d))
			continue;
		if (!is_suitable(d) || session_is_hidden(session, i) ||
		    is_defined_anew(d, masks, n_masks))
			return false;
		buffer_printf(ret, "%s\n", d->host);
	}
	return end && !buffer_check(ret, NULL);
}

const char *session_header_get(struct session_header *h, const struct options *o,
			       const struct clang_options *clang,
			       const struct compiler_session *session,
			       const struct session_mask *masks, size_t n_masks)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;
	struct error err = ERROR_INIT;

	buffer_clear(&h->path);
	if (!collect(session, masks, n_masks, &text) ||
	    (h->refused_by == clang && !strcmp(buffer_text(&h->refused), buffer_text(&text))))
		return NULL;
	if (!cpp_header_watch_get(&h->watch, o, clang, buffer_text(&text), &h->path, &err))
		return buffer_text(&h->path);
	log_info("the session's headers are not precompiled: %s", err.text);
	buffer_clear(&h->refused);
	buffer_puts(&h->refused, buffer_text(&text));
	h->refused_by = clang;
	return NULL;
}
