/* SPDX-License-Identifier: Apache-2.0 */
/* interrupt_request and shutdown_request, which are for the whole kernel: from the control channel,
 * or from shell as old clients send them. And the requests by which subshells come and go. */
#ifndef CGPU_KERNEL_REQUESTS_CONTROL_H
#define CGPU_KERNEL_REQUESTS_CONTROL_H

struct request;

/* Replies at once and interrupts the cell, which ends with an error of its own soon after. */
void control_interrupt(struct request *r);
/* Replies, tells all clients, and stops the loop; main() does the rest. */
void control_shutdown(struct request *r);
void control_create_subshell(struct request *r);
/* Aborts the cells that wait in the subshell; one of it that runs goes on. */
void control_delete_subshell(struct request *r);
void control_list_subshells(struct request *r);

#endif
