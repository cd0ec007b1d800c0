/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's side of the zygote: starts `cgpu-worker`, tells it the containment policy, asks it
 * for workers. A zygote that dies is started again by the supervisor; workers do not depend on it
 * once they are forked.
 */
#ifndef CGPU_KERNEL_WORKERS_ZYGOTE_CLIENT_H
#define CGPU_KERNEL_WORKERS_ZYGOTE_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/base/process.h"

struct buffer;
struct error;
struct record;

struct zygote_setup {
	const char *dir;         /* where cgpu-worker is */
	const char *hidden_file; /* "" for none */
	const void *seccomp;     /* struct sock_filter[] */
	size_t seccomp_len;      /* bytes */
	unsigned flags;          /* enum sandbox_flag */
	char *const *covered;    /* more files to hide */
	size_t n_covered;
};

struct zygote_client {
	struct process process;
	bool ready;        /* ZYGOTE_READY has come */
	unsigned failures; /* deaths without a ready zygote in between */
};

struct zygote_events {
	/* A containment step that could not be applied. */
	void (*on_issue)(void *data, const char *step, const char *why);
	/* pid 0: the fork failed with that errno. */
	void (*on_forked)(void *data, uint32_t id, pid_t pid, int error);
	/* The rest of ZYGOTE_LOADED, behind the id. */
	int (*on_loaded)(void *data, uint32_t id, struct record *r, struct error *err);
};

/* Does not wait for the zygote. */
int zygote_client_start(struct zygote_client *z, const struct zygote_setup *setup,
			struct error *err);
/* A file that came into being later. */
int zygote_client_hide(struct zygote_client *z, const char *path, struct error *err);
/* fds in the order of ZYGOTE_FORK; they stay the caller's. */
int zygote_client_fork(struct zygote_client *z, uint32_t id, const int fds[5], struct error *err);
/* Load shared libraries; on_loaded follows. */
int zygote_client_load(struct zygote_client *z, uint32_t id, const char *const *paths, size_t n,
		       struct error *err);
/* Take all messages that are there. -1: the zygote is gone or talks nonsense; the caller ends it.
 */
int zygote_client_receive(struct zygote_client *z, const struct zygote_events *events, void *data,
			  struct error *err);
void zygote_client_end(struct zygote_client *z);

#endif
