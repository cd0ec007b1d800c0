/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A debugger of device code (common/cuda/device-stop.h), as an observer of one launch. It follows
 * one thread; all others run on while that one stands between two operations of the machine, so a
 * launch with a debugger is one for a single host thread, where nobody runs meanwhile.
 *
 * Steps of a caller:
 *	1. debugger_wants()     else the launch needs none
 *	2. debugger_init()      the observer is d->observer; one host thread for the launch
 *	3. machine_launch()     calls stopped()
 *	4. debugger_release()
 */
#ifndef CGPU_EMULATOR_DEBUGGER_H
#define CGPU_EMULATOR_DEBUGGER_H

#include "common/cuda/device-stop.h"
#include "emulator/debug/debug-code.h"
#include "emulator/debug/debug-image.h"
#include "emulator/debug/debugger-source.h"
#include "emulator/warp/observer.h"

/* Where the thread goes on to, breakpoints aside. */
enum debugger_goal {
	GOAL_NONE,
	GOAL_LINE, /* any line of a cell */
	GOAL_NEXT,
	GOAL_IN,
	GOAL_OUT,
};

/* A step and where it began. */
struct debugger_step {
	enum debugger_goal goal;
	uint32_t depth; /* of the call, or of the outermost that it has returned to since */
	bool returned;
	uint32_t file, line, inlined;
};

struct debugger {
	struct observer observer;
	struct debugger_source *source;
	struct device_debugger wish; /* as it was at the beginning or behind the last stop */
	bool gave_up;
	/* The thread that is followed. */
	bool follows;
	const struct machine_launch *launch; /* the only one that it is in; NULL: any */
	uint32_t block[3], thread[3];
	/* The last operation that it was seen at, and in which call. */
	const struct op *seen;
	const struct frame *seen_frame;
	struct debugger_step step;
	struct debug_code *codes, *last; /* of functions that were met; the last one */
	struct debug_image image;        /* of the module that it stood in last */
	struct device_stop stop;
};

/* Threads of that kernel may have to stop. */
bool debugger_wants(const struct device_debugger *d, const struct ptx_function *kernel);

/* now: what the source holds. */
void debugger_init(struct debugger *d, struct debugger_source *source,
		   const struct device_debugger *now);
void debugger_release(struct debugger *d);

#endif
