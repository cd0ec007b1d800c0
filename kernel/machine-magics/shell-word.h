/* SPDX-License-Identifier: Apache-2.0 */
/* Text in commands of a shell. */
#ifndef CGPU_KERNEL_MACHINE_MAGICS_SHELL_WORD_H
#define CGPU_KERNEL_MACHINE_MAGICS_SHELL_WORD_H

struct buffer;

/* Appends the text as one word, in quotes. */
void shell_word_put(const char *text, struct buffer *out);

#endif
