/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The client of cgpu-history, which has the file with inputs and shown results of all sessions of
 * this user. Nothing here waits for that process: rows are kept until it says that they are in the
 * file, and a question is answered when its answer comes. When the process dies it is started
 * again; it then gets the rows that it did not have, and the questions once more.
 */
#ifndef CGPU_KERNEL_SESSION_HISTORY_H
#define CGPU_KERNEL_SESSION_HISTORY_H

#include <stdint.h>
#include <sys/types.h>

#include <jansson.h>

struct buffer;
struct doctor_row;
struct history;
struct history_query;
struct loop;
struct request;

/* Starts cgpu-history of the folder `libexec`, contained by this order of
 * common/sandbox/confinement.h, which is copied; NULL: not contained. path is the file; "" for the
 * default, $XDG_DATA_HOME/cgpu/history.sqlite; "off" for memory. NULL only when memory is out:
 * other failures are logged. */
struct history *history_new(const char *libexec, const char *path, const struct buffer *confinement,
			    struct loop *loop);
/* Returns where the pid of the process is, 0 while there is none. */
const pid_t *history_process(const struct history *h);
/* Waits two seconds for the process to write what it has; questions end without an answer. */
void history_free(struct history *h);

/* Adds a row, which is sent a tenth of a second after the first of them, or before a question. */
void history_add(struct history *h, uint32_t line, const char *source);
void history_add_output(struct history *h, uint32_t line, const char *text);

/* Takes over the rows [session, line, input], or [session, line, [input, output or null]], the
 * oldest first. They are empty when there was no answer, and NULL when the session ends. */
typedef void history_answer(void *data, json_t *rows);

/*
 * Asks. The answer comes from the loop, never from within this call, and does not come when -1 is
 * returned: memory is out. It comes within five seconds; those begin when the file is open, for
 * which a process that lives has half a minute.
 */
int history_ask(struct history *h, const struct history_query *q, history_answer *fn, void *data);

/* Returns the row of the report about the history; valid until the next call. */
const struct doctor_row *history_doctor(struct history *h);

void history_request(struct request *r);

#endif
