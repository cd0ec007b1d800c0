/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening a file whose path others can change, cells first of all: anything but a regular file is
 * refused, and none of it is waited for.
 */
#ifndef CGPU_COMMON_BASE_REGULAR_FILE_H
#define CGPU_COMMON_BASE_REGULAR_FILE_H

#include <stdio.h>
#include <sys/types.h>

struct error;

/*
 * Returns a descriptor, close-on-exec, as openat() does; -1 with the reason in err: ERROR_NOT_FOUND
 * where there is no such file, ERROR_INPUT where it is something else ("it is a FIFO, not a regular
 * file"). The text does not name the file.
 */
int regular_file_open(int dir, const char *path, int flags, mode_t mode, struct error *err);

/* Opens a file to be read as a stream. */
FILE *regular_file_read(const char *path, struct error *err);

#endif
