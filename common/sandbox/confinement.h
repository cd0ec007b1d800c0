/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order by which the kernel process has a helper process contain itself, as the first message
 * to cgpu-compiler, cgpu-launcher, cgpu-presenter and cgpu-history: u32 flags (enum sandbox_flag),
 * u64 limit of memory, bytes struct sock_filter[], what is hidden: a record of
 * common/sandbox/hidden-path.h for the connection file, and [such records] for more, which are
 * hidden where there is a mount namespace. With a descriptor: the view (struct sandbox_policy) to
 * enter.
 */
#ifndef CGPU_COMMON_SANDBOX_CONFINEMENT_H
#define CGPU_COMMON_SANDBOX_CONFINEMENT_H

#include <stdint.h>

#include "common/base/record.h"
#include "common/sandbox/sandbox-apply.h"

struct buffer;
struct error;

struct confinement {
	struct sandbox_policy policy; /* borrowed from the record */
	struct record covered;        /* so many hidden paths */
	uint32_t n_covered;
};

/* Appends the order but for what is hidden. memory: bytes, 0 for no limit. */
void confinement_put(struct buffer *out, uint32_t flags, uint64_t memory,
		     const struct buffer *filter);
/* Reads the order in a child of the kernel process. ret borrows from the record. */
int confinement_read(struct record *r, struct confinement *ret, struct error *err);

/* Carries the order out in a process with one thread; a step that was not applied is reported.
 * data: NULL; it is as a confinement_exchange wants it. */
void confinement_apply(struct confinement *c, struct sandbox_report *report, void *data);
/* Its two parts, for who needs the privileges between them that the second one takes away. */
void confinement_hide(struct confinement *c, struct sandbox_report *report);
void confinement_finish(const struct confinement *c, struct sandbox_report *report);

/* The two message types of the first exchange, and what carries the order out between them. */
struct confinement_exchange {
	uint32_t order, hello;
	void (*apply)(struct confinement *c, struct sandbox_report *report, void *data);
	void *data;
};

/* Waits for the order as the first message, carries it out, and answers with a hello: what `said`
 * has, and the report behind it. said is the caller's. */
int confinement_begin(int sock, const struct confinement_exchange *x, struct buffer *said,
		      struct error *err);

#endif
