/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a file that a cell names. The launcher does it, since the kernel process could read what is
 * hidden from cells. */
#ifndef CGPU_KERNEL_MACHINE_MAGICS_FILE_READ_H
#define CGPU_KERNEL_MACHINE_MAGICS_FILE_READ_H

struct cell;
struct error;
struct session;

/* The content has come, as text that ends with a NUL, and is the callee's to free. NULL: `why` says
 * why not. */
typedef void file_read_done(struct session *s, struct cell *c, char *content, const char *why);

/* Starts reading for the magic that is running, which an interrupt ends. fn is called from the
 * loop, and not when the call fails. A file with a zero byte, or of more than a megabyte, is no
 * text. */
int file_read_start(struct session *s, struct cell *c, const char *path, file_read_done *fn,
		    struct error *err);

#endif
