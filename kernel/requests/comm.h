/* SPDX-License-Identifier: Apache-2.0 */
/*
 * comm_open and comm_info of front ends. This kernel registers no target, so every comm_open is
 * answered by comm_close at once: front ends wait for that (JupyterLab's widget manager falls back
 * to another way only then).
 */
#ifndef CGPU_KERNEL_REQUESTS_COMM_H
#define CGPU_KERNEL_REQUESTS_COMM_H

struct request;

void comm_open(struct request *r);
void comm_info(struct request *r);
/* Handles comm_msg and comm_close for a comm that is not open. */
void comm_ignore(struct request *r);

#endif
