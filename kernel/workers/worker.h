/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One worker process as the kernel sees it: its channel, control area, output pipes and death. The
 * supervisor gives its messages a meaning. The zygote forks a worker, but the worker is the
 * kernel's child.
 */
#ifndef CGPU_KERNEL_WORKERS_WORKER_H
#define CGPU_KERNEL_WORKERS_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/wait.h>

#include "common/protocol/worker-protocol.h"
#include "kernel/base/cpu-deadline.h"

struct error;
struct ipc_message;
struct loop;
struct loop_source;
struct worker;
struct worker_control;
struct zygote_client;

enum worker_state {
	WORKER_STARTING,  /* the zygote was asked for it */
	WORKER_FORKED,    /* has a pid and prepares its device */
	WORKER_READY,     /* said hello; a spare */
	WORKER_ATTACHING, /* maps the session */
	WORKER_IDLE,      /* holds the session */
	WORKER_RUNNING,   /* runs a cell */
	WORKER_QUIET,     /* the cell has ended, or the worker is stopped: a commit is allowed */
	WORKER_DYING,     /* killed, not yet dead */
	WORKER_DEAD,
};

struct worker_hello {
	char device[128];
	char problem[256]; /* what is wrong with the device, "" for nothing */
	/* Why a driver of this machine is not used, "" for nothing. */
	char passed_over[PASSED_OVER_MAX];
	bool emulated;
	uint32_t driver_version;
	/* The compute capability that all devices have, 75 for 7.5; 0: not known. */
	uint32_t capability;
	uint64_t device_memory; /* sum of all devices */
	uint64_t most_memory;   /* of the device that has most */
	uint64_t window;        /* bytes of addresses for session memory */
	uint32_t traits;        /* enum device_trait */
	uint32_t n_devices;
	uint8_t uuids[CHUNK_DEVICES_MAX][DEVICE_UUID_SIZE];
};

struct worker_events {
	/* Receives every message except WORKER_HELLO. */
	void (*on_message)(void *data, struct worker *w, struct ipc_message *m);
	void (*on_hello)(void *data, struct worker *w);
	/* Reports a containment step that this worker could not take. */
	void (*on_issue)(void *data, const char *step, const char *why);
	/* Tells that a pipe has bytes, or that the ring is due to be read. */
	void (*on_output)(void *data, struct worker *w);
	/* Tells that the worker is dead: state is DEAD, `death` says how it died, and all its
	 * messages have been delivered. */
	void (*on_death)(void *data, struct worker *w);
};

struct worker {
	struct worker *next; /* for the pool's lists */
	enum worker_state state;
	bool ready; /* said hello */
	/* It was given the session at some time, so it may have the session's memory mapped. */
	bool attached;
	bool held;   /* reached IDLE */
	bool ending; /* its last messages are being delivered, or have been */
	/* The log has why it is ended. Messages that it had sent before are taken all the same: a
	 * rollback may depend on them. */
	bool blamed;
	bool checks; /* is a checker (kernel/cell-run/checker.h): nothing of it is kept */
	uint32_t id;
	pid_t pid;
	int pidfd;
	int channel;
	int live;     /* its live memfd (common/memory/arena-layout.h) */
	int pipes[2]; /* read ends of stdout and stderr, non-blocking */
	int pagemap;
	struct worker_control *control;
	/* A copy of the path in `control`, which the worker could change. */
	char dump_folder[WORKER_DUMP_FOLDER_MAX];
	struct worker_hello hello;
	bool waits; /* has no device context until it gets the session */
	/* Bytes on each device that libraries hold; they are freed when the worker ends. */
	uint64_t library_memory[CHUNK_DEVICES_MAX];
	siginfo_t death;
	uint32_t commits; /* WORKER_COMMITTED messages that it was sent */
	/* It had not yet acted on the last of them when it was looked at, so `cpu_deadline`
	 * runs. */
	bool late;
	/* Runs while FORKED or ATTACHING, after a commit, and while DYING if it was
	 * attached. */
	struct cpu_deadline cpu_deadline;
	struct loop *loop;
	struct loop_source *sources[4]; /* channel, stdout, stderr, pidfd */
	const struct worker_events *events;
	void *data;
};

/* Asks the zygote for a worker; worker_forked() follows. arena: the descriptor of the committed
 * memory that the worker gets, borrowed. events and data are borrowed until worker_free(). */
struct worker *worker_new(uint32_t id, struct zygote_client *z, int arena,
			  const struct worker_device *device, const struct worker_events *events,
			  void *data, struct error *err);
/*
 * Kills the process if it still lives, and removes its files. A process that may be making its
 * folder for core dumps is waited for, at most half a second; others are not. NULL is accepted.
 */
void worker_free(struct worker *w);

/* Takes a worker from STARTING to FORKED. */
int worker_forked(struct worker *w, pid_t pid, struct error *err);
/* Delivers events from this loop from here on; called once for each worker. */
void worker_watch(struct worker *w, struct loop *loop);

/* Sends a message. A worker that takes no messages is killed, and its death is handled like any
 * other. */
int worker_send(struct worker *w, uint32_t type, const void *data, size_t len, const int *fd,
		struct error *err);
/* Waits for one message at most ms milliseconds and delivers it to on_message. 1: delivered, 0:
 * none came, -1: the worker is gone. */
int worker_receive_one(struct worker *w, int ms, struct error *err);

/* Sends SIGKILL to the worker and its process group; the state becomes DYING. */
void worker_kill(struct worker *w);
/* Asks Linux to stop the process (SIGSTOP). Each of its threads runs on until it is scheduled
 * next. */
int worker_stop(struct worker *w, struct error *err);
/* 1: it stands still, 0: not yet, -1: it has ended. */
int worker_has_stopped(const struct worker *w, struct error *err);
void worker_continue(struct worker *w);
/* Blocks until the worker is dead, at most ms milliseconds; delivers its last messages and
 * on_death. */
bool worker_await_death(struct worker *w, int ms);
/* Sum over all devices of the bytes that libraries hold; w may be NULL. */
uint64_t worker_library_memory(const struct worker *w);

#endif
