/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The session layer's part of a snapshot on disk: declarations, flags, the folder and environment
 * that were set; and the folder of a notebook's snapshots.
 */
#ifndef CGPU_KERNEL_SESSION_SESSION_STATE_H
#define CGPU_KERNEL_SESSION_SESSION_STATE_H

#include <stddef.h>
#include <stdint.h>

struct buffer;
struct error;
struct session;

/* Is the describe() of snapshots_keep(); data is the session. */
int session_state_describe(void *data, struct buffer *out, uint32_t *ret_count);
/* Takes over what was described; the execution count never goes back. On error the declarations are
 * a mixture. */
int session_state_take(struct session *s, const struct buffer *described, uint32_t count,
		       struct error *err);

/* Save for %undo, to `out`, all except declarations; and bring it back. */
void session_state_keep(const struct session *s, struct buffer *out);
void session_state_return(struct session *s, const struct buffer *kept);

/*
 * Finds the folder for snapshots, $XDG_STATE_HOME/cgpu/NAME-HASH. NAME and HASH are of the
 * notebook's path where the server tells it (JPY_SESSION_NAME), else of the working folder. "" when
 * there is no place for it.
 */
void session_state_folder(char *ret, size_t size);

#endif
