/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Comms of front ends. What changes the session waits for its turn among the cells and runs as one:
 * values that a user sets, messages for a callback, comms of targets that the session has.
 * Questions for states are answered at once. A target that is not there is closed at once: front
 * ends wait for that (JupyterLab's widget manager falls back to another way only then).
 */
#ifndef CGPU_KERNEL_REQUESTS_COMM_H
#define CGPU_KERNEL_REQUESTS_COMM_H

struct request;

/* These publish busy themselves, when their turn has come. */
void comm_open(struct request *r);
void comm_msg(struct request *r);
void comm_close(struct request *r);

void comm_info(struct request *r);

#endif
