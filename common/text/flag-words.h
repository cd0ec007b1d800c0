/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts a line of flags into words, for whoever checks them and for whoever passes them on. */
#ifndef CGPU_COMMON_TEXT_FLAG_WORDS_H
#define CGPU_COMMON_TEXT_FLAG_WORDS_H

/* Returns the next word and moves *at behind it; NULL: there is none. '...' and "..." keep blanks.
 * The text is changed in place, and the words point into it. */
char *flag_words_next(char **at);

#endif
