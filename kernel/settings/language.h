/* SPDX-License-Identifier: Apache-2.0 */
/* The language of a session's cells, which its kernelspec chooses (kernel/settings/language.def).
 */
#ifndef CGPU_KERNEL_SETTINGS_LANGUAGE_H
#define CGPU_KERNEL_SETTINGS_LANGUAGE_H

#include <stddef.h>

struct error;

struct language {
	const char *word; /* of --language, and for cgpu-compiler */
	const char *kernelspec, *title;
	/* These texts appear in language_info. */
	const char *name, *version, *mimetype, *file_extension, *pygments_lexer;
	const char *cells, *reference, *reference_url;
};

/* Returns a language by number, the default first; NULL behind the last. */
const struct language *language_at(size_t i);
/* Finds a language by its word. ERROR_INPUT: there is none; the error text lists all. */
const struct language *language_find(const char *word, struct error *err);

#endif
