/* SPDX-License-Identifier: Apache-2.0 */
/* debug_request: finds the command, and replies in the shape of the Debug Adapter Protocol. */
#ifndef CGPU_KERNEL_DEBUGGER_DEBUG_REQUEST_H
#define CGPU_KERNEL_DEBUGGER_DEBUG_REQUEST_H

struct request;
struct session;

void debug_request(struct request *r);
/* Frees what the session's debugger keeps. */
void debug_request_release(struct session *s);

#endif
