/* SPDX-License-Identifier: Apache-2.0 */
/* Quotes are taken away where a word is copied over its own place, which is never longer. */
#include "common/text/flag-words.h"

#include <string.h>

#define BLANKS " \t\r\n"

char *flag_words_next(char **at)
{
	char *text = *at + strspn(*at, BLANKS), *word = text, *to = text, quote = 0;

	if (!*text) {
		*at = text;
		return NULL;
	}
	for (; *text && (quote || !strchr(BLANKS, *text)); text++) {
		if (quote ? *text == quote : *text == '"' || *text == '\'')
			quote = quote ? 0 : *text;
		else
			*to++ = *text;
	}
	text += *text != 0;
	*to = 0;
	*at = text;
	return word;
}
