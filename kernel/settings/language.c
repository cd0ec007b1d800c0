/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One program serves both kernelspecs: they differ only in this table and in the language that
 * cgpu-compiler assumes for a cell that does not name one.
 */
#include "kernel/settings/language.h"

#include <string.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"

static const struct language table[] = {
#define LANGUAGE(...) { __VA_ARGS__ },
#include "kernel/settings/language.def"
#undef LANGUAGE
};

#define N_LANGUAGES (sizeof(table) / sizeof(table[0]))

const struct language *language_at(size_t i)
{
	return i < N_LANGUAGES ? &table[i] : NULL;
}

const struct language *language_find(const char *word, struct error *err)
{
	cleanup_buffer struct buffer words = BUFFER_INIT;

	for (size_t i = 0; i < N_LANGUAGES; i++) {
		if (!strcmp(table[i].word, word))
			return &table[i];
		buffer_printf(&words, "%s%s", i ? ", " : "", table[i].word);
	}
	error_set(err, ERROR_INPUT, "cells cannot be in \"%s\"; what there is: %s", word,
		  buffer_text(&words));
	return NULL;
}
