/* SPDX-License-Identifier: Apache-2.0 */
/* Why code that is debugged stands, and how it goes on: on the host and on the device. */
#ifndef CGPU_COMMON_DEBUG_COMMAND_H
#define CGPU_COMMON_DEBUG_COMMAND_H

#define DEBUG_BREAKPOINTS_MAX 256

/* How a cell goes on. Steps end at the beginning of a line of a cell. */
enum debug_command {
	DEBUG_CONTINUE,
	DEBUG_NEXT,     /* to another line of this call, or of its callers */
	DEBUG_STEP_IN,  /* the same, or into a function of a cell that is called */
	DEBUG_STEP_OUT, /* to a line of a caller */
	DEBUG_PASS,     /* as if it had not stopped: a step that it was in goes on */
	DEBUG_GIVE_UP,  /* it stops nowhere any more */
	DEBUG_COMMANDS
};

enum debug_reason { DEBUG_AT_BREAKPOINT, DEBUG_AT_STEP, DEBUG_AT_PAUSE, DEBUG_AT_FAULT };

#endif
