/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inputs and shown results of all sessions of this user, in an SQLite file with IPython's tables,
 * so that IPython's tools can read it. Many kernels write it at once (write-ahead log). Where the
 * file cannot be used, the history of this session is kept in memory.
 */
#ifndef CGPU_KERNEL_SESSION_HISTORY_H
#define CGPU_KERNEL_SESSION_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

struct history;
struct loop;
struct request;

/*
 * Opens the history. path is the file; "" for the default, $XDG_DATA_HOME/cgpu/history.sqlite;
 * "off" for memory. NULL only when memory is out: other failures are logged. Rows are written a
 * tenth of a second after the first of them, before anything is read, and at the end; without a
 * loop (NULL) only then. With a loop the file is opened in the background: history_request()
 * answers when it is open, and nothing else may read before; history_free() waits two seconds.
 */
struct history *history_new(const char *path, struct loop *loop);
void history_free(struct history *h);

void history_add(struct history *h, uint32_t line, const char *source);
void history_add_output(struct history *h, uint32_t line, const char *text);
/* Returns the place of the history for reports: a path, or "memory". */
const char *history_place(struct history *h);

/* Returns the last n rows [session, line, input], or [session, line, [input, output or null]],
 * oldest first. NULL: memory is out. */
json_t *history_tail(struct history *h, int n, bool output);
/* Returns the lines start..stop-1 (stop < 0: to the end) of a session; 0 is this one, -1 the one
 * before it. */
json_t *history_range(struct history *h, int64_t session, int start, int stop, bool output);
/* Returns the last n (n < 0: all) that match the glob pattern. */
json_t *history_search(struct history *h, const char *pattern, int n, bool unique, bool output);

void history_request(struct request *r);

#endif
