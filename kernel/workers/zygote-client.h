/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's side of the zygote: starts `cgpu-worker`, sends it the containment policy, asks it
 * for workers. The supervisor restarts a zygote that dies; workers do not depend on it once they
 * are forked.
 */
#ifndef CGPU_KERNEL_WORKERS_ZYGOTE_CLIENT_H
#define CGPU_KERNEL_WORKERS_ZYGOTE_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/protocol/worker-protocol.h"
#include "kernel/base/process.h"

struct buffer;
struct error;
struct hidden_paths;
struct record;

struct zygote_setup {
	const char *dir;              /* the folder of cgpu-worker */
	struct hidden_paths *hidden;  /* the connection file; one or none. It must live on */
	const void *seccomp;          /* struct sock_filter[] */
	size_t seccomp_len;           /* bytes */
	unsigned flags;               /* enum sandbox_flag */
	struct hidden_paths *covered; /* more files to hide */
	int view;                     /* a mount namespace that workers live in; 0: none */
};

struct zygote_client {
	struct process process;
	struct hidden_paths *hidden; /* of the setup */
	bool ready;                  /* ZYGOTE_READY has come */
	unsigned failures;           /* deaths in a row without a ZYGOTE_READY */
};

struct zygote_events {
	/* Reports a containment step that could not be applied. */
	void (*on_issue)(void *data, const char *step, const char *why);
	/* Tells the pid of a new worker. pid 0: the fork failed with that errno. */
	void (*on_forked)(void *data, uint32_t id, pid_t pid, int error);
	/* Reads the payload of ZYGOTE_LOADED behind the id. */
	int (*on_loaded)(void *data, uint32_t id, struct record *r, struct error *err);
};

/* Starts the zygote and does not wait for it. */
int zygote_client_start(struct zygote_client *z, const struct zygote_setup *setup,
			struct error *err);
/* Hides one more file from workers, this one of the list. One that does not exist is left out. */
int zygote_client_hide(struct zygote_client *z, struct hidden_paths *list, size_t index,
		       struct error *err);
/* Asks for a worker. fds are in the order of ZYGOTE_FORK and stay the caller's. */
int zygote_client_fork(struct zygote_client *z, uint32_t id, const int fds[WORKER_FDS],
		       struct error *err);
/* Asks the zygote to load shared libraries; on_loaded follows. */
int zygote_client_load(struct zygote_client *z, uint32_t id, const char *const *paths, size_t n,
		       struct error *err);
/* Takes all messages that are there. -1: the zygote is gone or its message is malformed; the caller
 * ends it. */
int zygote_client_receive(struct zygote_client *z, const struct zygote_events *events, void *data,
			  struct error *err);
void zygote_client_end(struct zygote_client *z);

#endif
