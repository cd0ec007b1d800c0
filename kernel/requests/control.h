/* SPDX-License-Identifier: Apache-2.0 */
/* interrupt_request and shutdown_request: from the control channel, or from shell as old clients
 * send them. */
#ifndef CGPU_KERNEL_REQUESTS_CONTROL_H
#define CGPU_KERNEL_REQUESTS_CONTROL_H

struct request;

/* Replies at once and interrupts the cell, which ends with an error of its own soon after. */
void control_interrupt(struct request *r);
/* Replies, tells all clients, and stops the loop; main() does the rest. */
void control_shutdown(struct request *r);

#endif
