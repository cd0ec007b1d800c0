/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file of the cache folder: its content, and behind that the content's hash, by which a damaged
 * file is told from a whole one. Only a regular file of the user's own is read; a pipe, a device or
 * a symbolic link in its place is as no file.
 */
#ifndef CGPU_COMPILER_SEALED_FILE_H
#define CGPU_COMPILER_SEALED_FILE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct buffer;
struct error;
struct stat;

/* Opens a file for reading, without waiting; -1: there is none that may be read. */
int sealed_file_open(const char *path, struct stat *ret);
/* Returns the length of the content within the bytes of a file; 0: they are not whole. */
size_t sealed_file_content(const void *bytes, size_t len);
/* Appends the content. False, with nothing appended: there is no whole file. */
bool sealed_file_read(const char *path, struct buffer *ret);
/* Writes a whole file under another name, and puts it in the place of whatever is at the path. */
int sealed_file_write(const char *path, const void *bytes, size_t len, struct error *err);
/* Appends the seal to a file that was just made, and puts it in the place of whatever is at `to`.
 */
int sealed_file_seal(const char *from, const char *to, struct error *err);
/* Removes what is at the path. */
void sealed_file_discard(const char *path);

#ifdef __cplusplus
}
#endif

#endif
