/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers that %%cuda and the magics of its file groups share. */
#ifndef CGPU_KERNEL_DEVICE_MAGICS_MAGIC_CUDA_H
#define CGPU_KERNEL_DEVICE_MAGICS_MAGIC_CUDA_H

struct cell;
struct error;
struct session;

/* Cuts the next word off *args, with its quotes; blanks inside quotes belong to it. "" at the
 * end. */
char *magic_cuda_word(char **args);
/* Removes the quotes of a word, in place. */
char *magic_cuda_bare(char *word);

/* Loads the libraries that a line of flags for nvcc names, and handles -t. Returns as a magic
 * does. */
int magic_cuda_prepare(struct session *s, struct cell *c, const char *flags, struct error *err);

#endif
