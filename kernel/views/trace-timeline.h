/* SPDX-License-Identifier: Apache-2.0 */
/* The timeline of a trace is that of a profile: rows in which streams were active become spans. */
#ifndef CGPU_KERNEL_VIEWS_TRACE_TIMELINE_H
#define CGPU_KERNEL_VIEWS_TRACE_TIMELINE_H

#include "common/base/mem-pool.h"
#include "common/protocol/launch-profile.h"

struct device_trace;
struct error;

struct trace_timeline {
	struct launch_profile profile; /* has spans, and nothing else */
	struct mem_pool names;
};

int trace_timeline_init(struct trace_timeline *t, const struct device_trace *trace,
			struct error *err);
void trace_timeline_release(struct trace_timeline *t);

#endif
