/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds cells that were sent before their sender could know that an earlier one had failed. "Run
 * all" sends one request after another, and a cell that does not compile fails before the next
 * request arrives: that one must be aborted too.
 *
 * Requests carry the time of the sender's clock. That clock is behind ours by at most the
 * difference seen when the failed request arrived (the clocks' offset plus the time on the way); so
 * a request that is found to be older than our error reply surely is.
 */
#ifndef CGPU_KERNEL_PROTOCOL_ABORT_WINDOW_H
#define CGPU_KERNEL_PROTOCOL_ABORT_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

struct message;

struct abort_window {
	char session[64]; /* of the client whose cell failed; "": closed */
	int64_t until_us; /* on its clock */
};

/* Opens the window: the cell of `failed`, which came at arrived_us, is answered at now_us (this
 * machine's clock, since 1970). */
void abort_window_open(struct abort_window *w, const struct message *failed, int64_t arrived_us,
		       int64_t now_us);
bool abort_window_covers(const struct abort_window *w, const struct message *m);

#endif
