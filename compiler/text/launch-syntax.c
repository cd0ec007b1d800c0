/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tokens show where a formatter has put blanks into `<<<` and `>>>`: a `<<` next to a `<`, or
 * the other way round, on one line. The three characters are written at the start of the pair and
 * the blanks behind them, so that no byte after them moves. `> >>` is joined only while a launch is
 * open, up to the next `;` or `{`, because elsewhere it may end template arguments.
 */
#include "compiler/text/launch-syntax.h"

#include <stdbool.h>
#include <string.h>

#include "common/base/mem-pool.h"
#include "compiler/text/token.h"

static bool are_close(const struct token_list *l, uint32_t a, uint32_t b)
{
	return l->at[a].line == l->at[b].line &&
	       strspn(l->text + l->at[a].end, " \t") == l->at[b].start - l->at[a].end;
}

/* Writes the three brackets, with the blanks behind them. */
static void close_up(char *text, const struct token_list *l, uint32_t first, uint32_t last, char c)
{
	memset(text + l->at[first].start, ' ', l->at[last].end - l->at[first].start);
	memset(text + l->at[first].start, c, 3);
}

const char *launch_syntax_close(const char *text, struct mem_pool *pool)
{
	char *copy = strstr(text, "<<") ? mem_pool_strdup(pool, text) : NULL;
	bool open = false;
	struct token_list l;

	if (!copy || token_list_init(&l, text, strlen(text), pool, NULL))
		return text;
	for (uint32_t i = 0; i + 1 < l.n; i++) {
		if (token_is(&l, i, ";") || token_is(&l, i, "{") || token_is(&l, i, ">>>"))
			open = false;
		open |= token_is(&l, i, "<<<");
		if (((token_is(&l, i, "<<") && token_is(&l, i + 1, "<")) ||
		     (token_is(&l, i, "<") && token_is(&l, i + 1, "<<"))) &&
		    are_close(&l, i, i + 1)) {
			close_up(copy, &l, i, i + 1, '<');
			open = true;
			i++;
		} else if (open && are_close(&l, i, i + 1) &&
			   ((token_is(&l, i, ">>") && token_is(&l, i + 1, ">")) ||
			    (token_is(&l, i, ">") && token_is(&l, i + 1, ">>")))) {
			close_up(copy, &l, i, i + 1, '>');
			open = false;
			i++;
		}
	}
	return copy;
}
