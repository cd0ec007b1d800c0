/* SPDX-License-Identifier: Apache-2.0 */
/* The begin and the end of debugging, and what there is of it. */
#ifndef CGPU_KERNEL_DEBUGGER_DEBUG_START_H
#define CGPU_KERNEL_DEBUGGER_DEBUG_START_H

struct debug_call;
struct error;

int debug_start_info(struct debug_call *c, struct error *err);
int debug_start_initialize(struct debug_call *c, struct error *err);
int debug_start_attach(struct debug_call *c, struct error *err);
int debug_start_disconnect(struct debug_call *c, struct error *err);
int debug_start_threads(struct debug_call *c, struct error *err);
int debug_start_modules(struct debug_call *c, struct error *err);
/* Succeeds. */
int debug_start_nothing(struct debug_call *c, struct error *err);

#endif
