/* SPDX-License-Identifier: Apache-2.0 */
/* The words are those of cuda-gdb's command; an index may be written as dim3 is, or without
 * brackets. */
#include "kernel/debugger/debug-focus.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/protocol/debug-stop.h"
#include "kernel/supervisor/supervisor.h"

#define INDEX "%" PRIu32 ",%" PRIu32 ",%" PRIu32

static const char *skip_blanks(const char *at)
{
	return at + strspn(at, " \t");
}

static bool take_word(const char **at, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(*at, word, len) || !strchr(" \t(", (*at)[len]))
		return false;
	*at = skip_blanks(*at + len);
	return true;
}

/* Takes "3", "3,1" or "(3, 1, 0)"; what is not there is 0. */
static bool take_index(const char **at, uint32_t ret[3])
{
	bool has_bracket = **at == '(';

	*at += has_bracket;
	for (int i = 0; i < 3; i++) {
		const char *from = skip_blanks(*at);
		char *end;

		errno = 0;
		if (*from < '0' || *from > '9')
			return false;
		ret[i] = (uint32_t)strtoul(from, &end, 10);
		if (errno || end - from > 9)
			return false;
		*at = skip_blanks(end);
		if (**at != ',')
			break;
		++*at;
	}
	if (has_bracket && *(*at)++ != ')')
		return false;
	*at = skip_blanks(*at);
	return true;
}

static int parse(const char *args, struct debug_thread *ret, struct error *err)
{
	const char *at = args;
	bool ok = true;

	*ret = (struct debug_thread){ 0 };
	if (!strcmp(args, "first"))
		return 0;
	while (ok && *at) {
		uint32_t *to = take_word(&at, "block")    ? ret->block
			       : take_word(&at, "thread") ? ret->thread
							  : NULL;

		ok = to && take_index(&at, to);
	}
	ret->is_named = ok;
	return ok ? 0
		  : error_set(err, ERROR_INPUT,
			      "`%.60s` names no thread of a launch: write `%%focus block 2,0,0 "
			      "thread 37`, or `%%focus first`",
			      args);
}

int debug_focus_set(struct supervisor *s, const char *words, struct error *err)
{
	struct debug_thread t;

	if (parse(words, &t, err))
		return -1;
	supervisor_follow_thread(s, &t);
	return 0;
}

void debug_focus_describe(const struct supervisor *s, struct buffer *out)
{
	const struct debug_thread *t = supervisor_followed_thread(s);

	if (!t->is_named)
		buffer_puts(out, "The first thread of a launch that comes to a breakpoint stops "
				 "there.");
	else
		buffer_printf(out,
			      "Block (" INDEX "), thread (" INDEX
			      ") of a launch stops at breakpoints.",
			      t->block[0], t->block[1], t->block[2], t->thread[0], t->thread[1],
			      t->thread[2]);
}
