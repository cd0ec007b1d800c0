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
	const char *name, *version, *mimetype, *codemirror_mode, *file_extension,
		*pygments_lexer; /* as language_info has them */
	const char *cells, *reference, *reference_url;
};

/* By number, the default first; NULL behind the last. */
const struct language *language_at(size_t i);
/* ERROR_INPUT: there is none of this word; the text names all. */
const struct language *language_find(const char *word, struct error *err);

#endif
