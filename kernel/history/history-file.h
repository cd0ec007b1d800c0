/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inputs and shown results of all sessions of this user, in an SQLite file with IPython's tables,
 * so that IPython's tools can read it. Many processes write it at once (write-ahead log). Where the
 * file cannot be used, the history of this session is kept in memory.
 */
#ifndef CGPU_KERNEL_HISTORY_HISTORY_FILE_H
#define CGPU_KERNEL_HISTORY_HISTORY_FILE_H

#include <stdint.h>

struct buffer;
struct history_query;
struct record;

struct history_file {
	struct sqlite3 *db; /* NULL: not even memory serves */
	int64_t session;
	char place[4096]; /* the path, or HISTORY_IN_MEMORY */
};

/*
 * Opens the file and creates what is missing of it, or opens a history in memory. It waits up to
 * half a minute for a process that holds the file. session: the one that goes on, if the file has
 * it; 0 for a new one. Failures are logged.
 */
void history_file_open(struct history_file *h, const char *path, int64_t session);
/* Records the end of the session and closes the file. */
void history_file_close(struct history_file *h);

/* Writes the rows of a HISTORY_ADD. Returns -1 when another process holds the file, which is waited
 * for a second; rows that cannot be written for another reason are lost, which is logged. */
int history_file_write(struct history_file *h, struct record rows);

/* Appends the rows of a HISTORY_ANSWER, up to HISTORY_ANSWER_MAX bytes. A failure is logged. */
void history_file_ask(struct history_file *h, const struct history_query *q, struct buffer *ret);

#endif
