/* SPDX-License-Identifier: Apache-2.0 */
/* Dispatches the requests of front ends: each message on a channel goes to the handler that its row
 * in requests.def names. */
#ifndef CGPU_KERNEL_REQUESTS_DISPATCH_H
#define CGPU_KERNEL_REQUESTS_DISPATCH_H

#include "kernel/protocol/channels.h"

struct session;

/* Starts to answer requests; publishes `starting`. */
void dispatch_start(struct session *s);
/* Takes no more requests; the committed state is saved, if that does not take long. */
void dispatch_stop(struct session *s);
/* Handles all messages that wait on a channel, so that none that came before the call is missed. */
void dispatch_drain(struct session *s, enum channel channel);

#endif
