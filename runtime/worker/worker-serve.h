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

struct worker_start {
	int fds[5];            /* channel, control, arena, stdout, stderr: taken over */
	pid_t parent;          /* the kernel */
	uint32_t flags;        /* enum sandbox_flag */
	const void *filter;    /* struct sock_filter[] */
	size_t filter_len;     /* bytes */
	const char *hidden;    /* path that cells must not read, "" for none */
	bool hide_by_landlock; /* the zygote could not hide it */
};
/* Does not return. An error of ours ends the worker; the kernel shows its text. */
_Noreturn void worker_serve(const struct worker_start *start);

#endif
