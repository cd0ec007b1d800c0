/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The life of a worker after the fork: own process group, death with the kernel, descriptors in
 * their places, containment, device, HELLO, then one request after the other.
 */
#ifndef CGPU_RUNTIME_WORKER_WORKER_SERVE_H
#define CGPU_RUNTIME_WORKER_WORKER_SERVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/protocol/worker-protocol.h"
#include "common/sandbox/hidden-path.h"

struct worker_start {
	int fds[WORKER_FDS];       /* as ZYGOTE_FORK passes them: taken over */
	pid_t parent;              /* the kernel */
	uint32_t flags;            /* enum sandbox_flag */
	const void *filter;        /* struct sock_filter[] */
	size_t filter_len;         /* bytes */
	struct hidden_path hidden; /* what cells must not read */
	unsigned in_force;         /* what the zygote has done: see sandbox_apply_zygote() */
};
/* Does not return. An error of ours ends the worker; the kernel shows its text. */
_Noreturn void worker_serve(const struct worker_start *start);

#endif
