/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The unit is written anew for each try: the session's declarations, the directives that free
 * names of headers, the state of #pragmas, then the cell under its own #line. Insertions that
 * clang's answers ask for are kept in `wanted` over all tries; `edits` is made of them each time,
 * together with the directives that are dropped: #line, and an #include of a local file that the
 * text in front of the cell brings already. A head of a function is printed from tokens into one
 * line, so that lines of the cell keep their numbers.
 */
#include "compiler/frontend/host-text.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/code/unit.h"
#include "compiler/frontend/cell-names.h"
#include "compiler/session/composition.h"
#include "compiler/session/pragma-state.h"
#include "compiler/text/cell-tokens.h"
#include "compiler/text/local-include.h"

int host_text_init(struct host_text *h, const char *text, size_t len, uint32_t cell,
		   const char *cell_name, struct compiler_session *session, struct mem_pool *pool,
		   struct error *err)
{
	struct name_source names = session_names(session);

	*h = (struct host_text){ .cell_name = cell_name, .pool = pool };
	snprintf(h->run, sizeof(h->run), UNIT_STATEMENTS "%u", cell);
	unit_text_init(&h->unit, text, len, cell_name);
	return cell_tokens_init(&h->tokens, text, len, &names, pool, err) ||
			       cell_names_find(h, session, err)
		       ? -1
		       : 0;
}

void host_text_release(struct host_text *h)
{
	edit_list_release(&h->wanted);
	edit_list_release(&h->edits);
	unit_text_release(&h->unit);
}

bool host_text_insert(struct host_text *h, uint32_t at, const char *text)
{
	for (uint32_t i = 0; i < h->wanted.n; i++)
		if (h->wanted.at[i].start == at && !strcmp(h->wanted.at[i].with, text))
			return false;
	text = mem_pool_strdup(h->pool, text);
	h->wanted.failed |= !text;
	if (text)
		edit_list_add(&h->wanted, at, at, text);
	return text != NULL;
}

const char *host_text_head(const struct host_text *h, uint32_t first, uint32_t end)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;
	const struct token_list *l = &h->tokens;

	/* Comments are left out and lines joined, so that the cell's line numbers stay valid. */
	for (uint32_t i = 0; i < l->n; i++)
		if (l->at[i].start >= first && l->at[i].end <= end &&
		    l->at[i].kind != TOKEN_DIRECTIVE)
			buffer_printf(&text, "%.*s ", (int)token_len(l, i), token_text(l, i));
	buffer_puts(&text, "; ");
	return buffer_check(&text, NULL) ? NULL : mem_pool_strdup(h->pool, buffer_text(&text));
}

/* Tells whether the text in front of the cell already includes the file, as from this line. */
static bool is_brought(const struct host_text *h, const struct compiler_session *session,
		       uint32_t i)
{
	char path[PATH_MAX];
	const char *rest;
	size_t n;

	if (!token_directive_is(&h->tokens, i, "include"))
		return false;
	rest = token_directive_rest(&h->tokens, i, &n);
	return local_include_path(rest, n, path) && session_includes(session, path);
}

/* Drops directives such as `#line`, so that lines are those of the cell. */
static void drop_directives(struct host_text *h, const struct compiler_session *session)
{
	const struct token_list *l = &h->tokens;

	for (uint32_t i = 0; i < l->n; i++)
		if (token_directive_is(l, i, "line") || is_brought(h, session, i))
			edit_list_add(&h->edits, l->at[i].start, l->at[i].end, "");
}

int host_text_write(struct host_text *h, struct compiler_session *session, struct error *err)
{
	struct pragma_state pragmas;

	h->edits.n = 0;
	h->unit.n = 0;
	buffer_clear(&h->unit.text);
	for (uint32_t i = 0; i < h->wanted.n; i++)
		edit_list_add(&h->edits, h->wanted.at[i].start, h->wanted.at[i].end,
			      h->wanted.at[i].with);
	unit_text_puts(&h->unit, "#line 1 \"session\"\n");
	drop_directives(h, session);
	edit_list_sort(&h->edits);
	if (h->edits.failed || h->wanted.failed)
		return error_set(err, ERROR_MEMORY, "out of memory for the text of a unit");
	if (composition_write(session, &h->tokens, h->masks, h->n_masks, h->cell_name,
			      &h->unit.text, err))
		return -1;
	cell_names_write(h, session);
	pragma_state_init(&pragmas, session, h->pool);
	pragma_state_write(&pragmas, false, &h->unit.text);
	pragma_state_release(&pragmas);
	unit_text_line(&h->unit, 1);
	unit_text_copy(&h->unit, 0, (uint32_t)h->unit.cell_len, &h->edits);
	unit_text_puts(&h->unit, "\n");
	return unit_text_check(&h->unit, err);
}
