/* SPDX-License-Identifier: Apache-2.0 */
/* The encoding has one bit for each flag, so that a further flag changes no other, and a number for
 * the checks. */
#include "common/protocol/run-options.h"

#include "common/base/record.h"

enum { CHECKED = 1, UNSAVED = 2, PROFILED = 4, TRACED = 8, DEBUGGED = 16 };

void run_options_put(const struct run_options *o, struct buffer *out)
{
	record_put_u8(out, (uint8_t)((o->checked ? CHECKED : 0) | (o->unsaved ? UNSAVED : 0) |
				     (o->profiled ? PROFILED : 0) | (o->traced ? TRACED : 0) |
				     (o->debugged ? DEBUGGED : 0)));
	record_put_u32(out, o->device_checks);
}

struct run_options run_options_take(struct record *r)
{
	uint8_t words = record_u8(r);

	return (struct run_options){
		.checked = words & CHECKED,
		.unsaved = words & UNSAVED,
		.profiled = words & PROFILED,
		.traced = words & TRACED,
		.debugged = words & DEBUGGED,
		.device_checks = record_u32(r),
	};
}
