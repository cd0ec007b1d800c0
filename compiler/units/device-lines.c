/* SPDX-License-Identifier: Apache-2.0 */
/* PTX names its files behind the code, so the text is read twice: for the number of the cell's
 * file, and for the lines of that file. */
#include "compiler/units/device-lines.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/mem-pool.h"
#include "common/code/unit.h"
#include "common/cuda/ptx-lexer.h"

#define LINES_MAX (1u << 20) /* of a cell */

static bool is_word(const struct ptx_token *t, const char *word)
{
	return t->kind == PTX_TOKEN_DOTTED && t->len == strlen(word) &&
	       !memcmp(t->text, word, t->len);
}

/* Moves to the next directive of this name and its first operand, a number. False: there is none.
 */
static bool next_directive(struct ptx_lexer *lx, const char *word, uint64_t *ret)
{
	struct ptx_token t;

	for (ptx_lexer_next(lx, &t); t.kind != PTX_TOKEN_END; ptx_lexer_next(lx, &t)) {
		if (!is_word(&t, word))
			continue;
		ptx_lexer_next(lx, &t);
		if (t.kind != PTX_TOKEN_INTEGER)
			continue;
		*ret = t.value;
		return true;
	}
	return false;
}

/* Returns the number of the cell's file; UINT64_MAX: it has none. */
static uint64_t file_of(const struct unit *u)
{
	struct ptx_lexer lx;
	struct ptx_token name;
	uint64_t number;

	ptx_lexer_init(&lx, u->ptx, u->ptx_len);
	while (next_directive(&lx, ".file", &number)) {
		ptx_lexer_next(&lx, &name);
		if (name.kind == PTX_TOKEN_STRING && name.len == strlen(u->cell_name) &&
		    !memcmp(name.text, u->cell_name, name.len))
			return number;
	}
	return UINT64_MAX;
}

/* Marks the lines of the file in `seen`, and returns how many they are. */
static size_t mark_lines(const struct unit *u, uint64_t file, uint8_t *seen)
{
	struct ptx_lexer lx;
	struct ptx_token line;
	uint64_t number;
	size_t n = 0;

	ptx_lexer_init(&lx, u->ptx, u->ptx_len);
	while (next_directive(&lx, ".loc", &number)) {
		ptx_lexer_next(&lx, &line);
		if (number != file || line.kind != PTX_TOKEN_INTEGER || !line.value ||
		    line.value >= LINES_MAX || seen[line.value])
			continue;
		seen[line.value] = 1;
		n++;
	}
	return n;
}

int device_lines_add(struct unit *u, struct mem_pool *pool, struct error *err)
{
	uint64_t file = u->ptx_len ? file_of(u) : UINT64_MAX;
	cleanup_free uint8_t *seen = NULL;
	struct unit_line *rows;
	size_t n;

	if (file == UINT64_MAX)
		return 0;
	seen = calloc(LINES_MAX, 1);
	n = seen ? mark_lines(u, file, seen) : 0;
	rows = mem_pool_alloc(pool, (u->n_lines + n + 1) * sizeof(*rows));
	if (!seen || !rows)
		return error_set(err, ERROR_MEMORY, "out of memory for the lines of device code");
	memcpy(rows, u->lines, u->n_lines * sizeof(*rows));
	u->lines = rows;
	for (uint32_t line = 0; line < LINES_MAX && n; line++)
		if (seen[line]) {
			rows[u->n_lines++] = (struct unit_line){ UNIT_LINE_OF_DEVICE, 0, line };
			n--;
		}
	return 0;
}
