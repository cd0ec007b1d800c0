/* SPDX-License-Identifier: Apache-2.0 */
/* Words that are no code: what the arguments of a command or a magic can be. */
#ifndef CGPU_COMPILER_WORDS_H
#define CGPU_COMPILER_WORDS_H

#include "common/protocol/compiler-protocol.h"

struct completion_list;
struct error;

/*
 * Makes the list of words of a kind that begin with what was typed; places are those in it. A path
 * may begin with `~/`; names with a dot in front are listed if that was typed, and names with
 * blanks are not, since a magic would take them for two. Release the list, also after an error.
 * ERROR_MEMORY.
 */
int words_list(struct completion_list *l, enum compiler_word kind, const char *typed,
	       struct error *err);

#endif
