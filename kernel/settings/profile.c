/* SPDX-License-Identifier: Apache-2.0 */
/* A stricter profile has a greater number, so that two of them are compared as numbers. */
#include "kernel/settings/profile.h"

#include <stddef.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"

static const struct {
	const char *word, *meaning;
} table[] = {
	[PROFILE_UNSET] = { "", "" },
#define PROFILE(symbol, word, meaning) [PROFILE_##symbol] = { word, meaning },
#include "kernel/settings/profile.def"
#undef PROFILE
};

#define N_PROFILES (sizeof(table) / sizeof(table[0]))

int profile_find(const char *word, enum profile *ret, struct error *err)
{
	cleanup_buffer struct buffer words = BUFFER_INIT;

	for (size_t i = 0; i < N_PROFILES; i++) {
		if (!strcmp(table[i].word, word)) {
			*ret = (enum profile)i;
			return 0;
		}
		buffer_printf(&words, "%s%s", i > 1 ? ", " : "", table[i].word);
	}
	return error_set(err, ERROR_INPUT, "\"%s\" is no profile; what there is: %s", word,
			 buffer_text(&words));
}

const char *profile_word(enum profile p)
{
	return table[p].word;
}

const char *profile_meaning(enum profile p)
{
	return table[p].meaning;
}
