/* SPDX-License-Identifier: Apache-2.0 */
/* What %%cuda and the groups of its files share. */
#ifndef CGPU_KERNEL_DEVICE_MAGICS_MAGIC_CUDA_H
#define CGPU_KERNEL_DEVICE_MAGICS_MAGIC_CUDA_H

struct cell;
struct error;
struct session;

/* The next word of *args, cut there, with its quotes; blanks inside of them belong to it. "" at the
 * end. */
char *magic_cuda_word(char **args);
/* The word without its quotes, in place. */
char *magic_cuda_bare(char *word);

/* Loads the libraries that a line of flags for nvcc names, and sees to -t. Answers as a magic does.
 */
int magic_cuda_prepare(struct session *s, struct cell *c, const char *flags, struct error *err);

#endif
