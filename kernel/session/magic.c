/* SPDX-License-Identifier: Apache-2.0 */
/* The table of all magics is in a higher folder (kernel/magics/magic-table.h) and passed in
 * here. */
#include "kernel/session/magic.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/text/near-name.h"

const struct magic *magic_find(const struct magic *const *table, const char *name)
{
	for (size_t i = 0; table[i]; i++)
		if (!strcmp(table[i]->name, name) || (*name && !strcmp(table[i]->alias, name)))
			return table[i];
	return NULL;
}

const struct magic *magic_nearest(const struct magic *const *table, const char *name)
{
	const struct magic *best = NULL;
	size_t least = near_name_limit(name) + 1, n;

	for (size_t i = 0; table[i]; i++) {
		size_t len = strlen(table[i]->name);

		n = near_name_edits(name, table[i]->name);
		if (*table[i]->alias && near_name_edits(name, table[i]->alias) < n)
			n = near_name_edits(name, table[i]->alias);
		/* A longer word counts as near, as %snapshotting to %snapshot. */
		if (len > 3 && !strncmp(name, table[i]->name, len) && n > 2)
			n = 2;
		if (n < least) {
			least = n;
			best = table[i];
		}
	}
	return best;
}

void magic_offer(const char *words, magic_candidate *fn, void *data)
{
	while (*words) {
		size_t len = strcspn(words, " ");
		cleanup_free char *word = strndup(words, len);

		if (word)
			fn(data, word, "keyword");
		words += len + strspn(words + len, " ");
	}
}

bool magic_has_word(const struct magic *m, const char *text)
{
	const char *words = m->words;

	while (*words) {
		size_t len = strcspn(words, " ");

		if (len == strlen(text) && !strncmp(words, text, len))
			return true;
		words += len + strspn(words + len, " ");
	}
	return false;
}

char *magic_next_word(char **args)
{
	char *word = *args + strspn(*args, " \t"), *end = word + strcspn(word, " \t");

	*args = *end ? end + 1 : end;
	*end = '\0';
	return word;
}

void magic_script_release(struct magic_script *s)
{
	for (size_t i = 0; i < s->n_calls; i++) {
		free(s->calls[i].args);
		free(s->calls[i].body);
	}
	free(s->calls);
	free(s->code);
	free(s->written);
	memset(s, 0, sizeof(*s));
}

const char *magic_script_line(const struct magic_script *s, uint32_t line)
{
	const char *at = s->code;

	while (line-- > 1 && strchr(at, '\n'))
		at = strchr(at, '\n') + 1;
	return at;
}

int magic_script_put(struct magic_script *s, const char *at, const char *end, const char *text,
		     struct error *err)
{
	cleanup_buffer struct buffer code = BUFFER_INIT;

	buffer_append(&code, s->code, (size_t)(at - s->code));
	buffer_puts(&code, text);
	while (!code.failed && code.len < (size_t)(end - s->code))
		buffer_putc(&code, ' ');
	buffer_puts(&code, end);
	if (buffer_check(&code, err))
		return -1;
	if (s->written)
		free(s->code);
	else
		s->written = s->code;
	s->code = buffer_steal(&code);
	return 0;
}
