/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which cells were sent before their sender could know that an earlier one had failed. "Run all"
 * sends one request after another, and a cell that does not compile fails before the next request
 * is here: that one must be aborted too.
 *
 * Requests carry the time of the sender's clock. How far that is behind ours is at most what it
 * looked like when the failed request came (clocks apart, plus its way); so a request that is found
 * to be older than our error reply surely is.
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

/* The cell of `failed`, which came at arrived_us, is answered at now_us (our clock, since 1970). */
void abort_window_open(struct abort_window *w, const struct message *failed, int64_t arrived_us,
		       int64_t now_us);
bool abort_window_covers(const struct abort_window *w, const struct message *m);

#endif
