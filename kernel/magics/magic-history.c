/* SPDX-License-Identifier: Apache-2.0 */
/* %history: inputs of this session or of all, as cgpu-history has them. */
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/protocol/history-query.h"
#include "kernel/session/history.h"
#include "kernel/session/magic.h"
#include "kernel/session/output.h"
#include "kernel/session/session.h"

struct listing {
	struct session *session;
	bool numbers;
};

static void put_row(const json_t *row, bool numbers, struct buffer *out)
{
	const char *text = json_string_value(json_array_get(row, 2));
	json_int_t line = json_integer_value(json_array_get(row, 1));
	size_t len;

	for (bool first = true; text && (first || *text); first = false, text += len) {
		len = strcspn(text, "\n");
		if (numbers && first)
			buffer_printf(out, "%4" JSON_INTEGER_FORMAT ": ", line);
		else if (numbers)
			buffer_printf(out, "%6s", "");
		buffer_append(out, text, len);
		buffer_putc(out, '\n');
		len += text[len] == '\n';
	}
}

static void on_rows(void *data, json_t *rows)
{
	struct listing *l = data;
	struct session *s = l->session;
	cleanup_buffer struct buffer out = BUFFER_INIT;
	struct error err = ERROR_INIT;

	for (size_t i = 0; i < json_array_size(rows); i++)
		put_row(json_array_get(rows, i), l->numbers, &out);
	json_decref(rows);
	free(l);
	if (!rows)
		return; /* the session ends */
	if (!buffer_check(&out, &err))
		output_text(&s->output, STREAM_STDOUT, out.data, out.len);
	s->hooks->magic_done(s, *err.text ? &err : NULL);
}

static int bad_word(const struct magic_call *call, const char *word, struct error *err)
{
	return error_set(err, ERROR_INPUT,
			 "%%history: `%.40s` is no number and no range as 3-5: %s", word,
			 call->magic->usage);
}

/* Takes a word as N or FIRST-LAST. */
static int take_range(const struct magic_call *call, const char *word, struct history_query *q,
		      struct error *err)
{
	const char *last = word;
	char *end;

	q->start = strtoll(word, &end, 10);
	q->stop = q->start + 1;
	if (end > word && *end == '-') {
		last = end + 1;
		q->stop = strtoll(last, &end, 10) + 1;
	}
	if (end == last || *end || q->start < 1 || q->stop <= q->start)
		return bad_word(call, word, err);
	return 0;
}

/* pattern: what q borrows. */
static int take_words(const struct magic_call *call, struct history_query *q,
		      struct buffer *pattern, bool *ret_numbers, struct error *err)
{
	char *args = call->args, *word, *end;

	while (*(word = magic_next_word(&args))) {
		if (!strcmp(word, "-n")) {
			*ret_numbers = true;
		} else if (!strcmp(word, "-g")) {
			q->kind = HISTORY_SEARCH;
			q->n = -1;
			word = magic_next_word(&args);
			if (!*word)
				return error_set(err, ERROR_INPUT, "%%history -g: which text?");
			buffer_printf(pattern, "*%s*", word);
			q->pattern = buffer_text(pattern);
		} else if (!strcmp(word, "-l")) {
			word = magic_next_word(&args);
			q->kind = HISTORY_TAIL;
			q->n = strtoll(word, &end, 10);
			if (*end || end == word || q->n < 1)
				return bad_word(call, word, err);
		} else if (take_range(call, word, q, err)) {
			return -1;
		}
	}
	return 0;
}

static int history(struct session *s, struct cell *c, const struct magic_call *call,
		   struct error *err)
{
	struct history_query q = { .kind = HISTORY_RANGE, .start = 1, .stop = -1 };
	cleanup_buffer struct buffer pattern = BUFFER_INIT;
	struct listing *l = malloc(sizeof(*l));

	(void)c;
	if (!l)
		return error_set(err, ERROR_MEMORY, "%%history: out of memory");
	*l = (struct listing){ .session = s };
	if (take_words(call, &q, &pattern, &l->numbers, err) || buffer_check(&pattern, err)) {
		free(l);
		return -1;
	}
	if (history_ask(s->history, &q, on_rows, l)) {
		free(l);
		return error_set(err, ERROR_MEMORY, "%%history: out of memory");
	}
	return 1;
}

const struct magic magic_history = {
	.name = "history",
	.alias = "hist",
	.forms = MAGIC_LINE | MAGIC_PARKED,
	.usage = "%history [-n] [FIRST-LAST]",
	.help = "Shows the inputs of this session, or those with these numbers.\n\n"
		"- `-n`: with their numbers.\n"
		"- `-l COUNT`: the last inputs of all sessions.\n"
		"- `-g TEXT`: those that have this text, with `*` and `?` for what may "
		"stand there.",
	.run = history,
	.words = "-n -l -g",
};
