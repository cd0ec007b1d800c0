/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A profile over many launches: what tally.c counts of each is added up by kernel and line of
 * source, and the work of streams is noted with its times. It keeps copies of all names, so modules
 * may be unloaded meanwhile. All calls may come from several threads.
 */
#ifndef CGPU_EMULATOR_PROFILE_H
#define CGPU_EMULATOR_PROFILE_H

#include <pthread.h>

#include "common/base/mem-pool.h"
#include "emulator/profile/tally.h"

struct buffer;
struct machine_launch;

struct profile {
	pthread_mutex_t lock;
	struct mem_pool pool;         /* of names */
	struct launch_profile report; /* its arrays are realloc-ed */
	size_t cap_kernels, cap_lines, cap_spans;
	const void **streams; /* by number */
	size_t n_streams;
	uint64_t start_ns;
	bool failed; /* memory ran out: something is missing */
};

struct profile *profile_new(void);
/* NULL accepted. No launch may be under way that it was given. */
void profile_free(struct profile *p);

/* The launch has ended; t is what was counted. */
void profile_add_launch(struct profile *p, const struct machine_launch *l, struct tally *t,
			uint64_t nanoseconds);
/* The stream has worked from begin_ns (clock_now_ns()) until now. stream: any pointer that names
 * it, NULL the default one. */
void profile_add_span(struct profile *p, enum profile_span_kind kind, const void *stream,
		      const char *name, uint64_t begin_ns, uint64_t bytes);
/* As common/protocol/launch-profile.h has it; out fails when memory ran out. */
void profile_encode(struct profile *p, struct buffer *out);

#endif
