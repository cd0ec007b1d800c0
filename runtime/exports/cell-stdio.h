/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stdout, stderr and stdin of the process become streams of the notebook: output goes to the ring
 * as it is written, input is asked from the front end. Descriptors 1 and 2 stay what they are
 * (pipes to the kernel), for write(2) and children.
 */
#ifndef CGPU_RUNTIME_EXPORTS_CELL_STDIO_H
#define CGPU_RUNTIME_EXPORTS_CELL_STDIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct error;

int cell_stdio_init(struct error *err);
/* Before a cell: forget an end of file and input left over. */
void cell_stdio_begin(void);
/* After a cell. */
void cell_stdio_end(void);
/* After the cell was unwound out of a read: its stream may be locked for ever, so make another. */
void cell_stdio_renew_input(void);
/* In a forked child: text goes to descriptors 1 and 2. */
void cell_stdio_leave(void);

bool cell_stdio_is_ours(const FILE *f);
/* freopen() and fclose() of one of ours: the file is in its place until the cell ends. -1 with
 * errno: as it was. */
int cell_stdio_redirect(FILE *f, const char *path, const char *mode);
void cell_stdio_restore(FILE *f);
void cell_stdio_print(bool to_stderr, const char *text, size_t len);

#endif
