/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One worker process as the kernel sees it: its channel, control area, output pipes and death. What
 * its messages mean is the supervisor's business. A worker is forked by the zygote but is the
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
	WORKER_STARTING,  /* asked of the zygote */
	WORKER_FORKED,    /* has a pid; prepares its device */
	WORKER_READY,     /* said hello; a spare */
	WORKER_ATTACHING, /* maps the session */
	WORKER_IDLE,      /* holds the session */
	WORKER_RUNNING,   /* a cell */
	WORKER_QUIET,     /* the cell has ended, or the worker is stopped: may be committed */
	WORKER_DYING,     /* killed, not yet dead */
	WORKER_DEAD,
};

struct worker_hello {
	char device[128];
	char problem[256];                 /* what is wrong with the device, "" for nothing */
	char passed_over[PASSED_OVER_MAX]; /* why a driver that the machine has is not used, "" for
					      nothing */
	bool emulated;
	uint32_t driver_version;
	uint32_t
		capability; /* compute capability that all devices have, 75 for 7.5; 0: not known */
	uint64_t device_memory; /* of all devices */
	uint64_t most_memory;   /* of the one that has most */
	uint64_t window;        /* bytes of addresses for session memory */
	uint32_t traits;        /* enum device_trait */
	uint32_t n_devices;
	uint8_t uuids[CHUNK_DEVICES_MAX][DEVICE_UUID_SIZE];
};

struct worker_events {
	/* Every message but WORKER_HELLO. */
	void (*on_message)(void *data, struct worker *w, struct ipc_message *m);
	void (*on_hello)(void *data, struct worker *w);
	/* A containment step that this worker could not take. */
	void (*on_issue)(void *data, const char *step, const char *why);
	/* Bytes are in a pipe, or something is due to be read from the ring. */
	void (*on_output)(void *data, struct worker *w);
	/* state is DEAD and `death` tells how; its messages have all been delivered. */
	void (*on_death)(void *data, struct worker *w);
};

struct worker {
	struct worker *next; /* for the pool's lists */
	enum worker_state state;
	bool ready;    /* said hello */
	bool attached; /* was ever given the session: it may hold its memory */
	bool held;     /* came as far as IDLE */
	bool ending;   /* its last messages are being delivered, or were */
	bool checks;   /* kernel/cell-run/checker.h: nothing of it is kept */
	uint32_t id;
	pid_t pid;
	int pidfd;
	int channel;
	int pipes[2]; /* read ends of stdout and stderr, non-blocking */
	int pagemap;
	struct worker_control *control;
	char dump_folder[WORKER_DUMP_FOLDER_MAX]; /* as control has it, which the worker could
						     change */
	struct worker_hello hello;
	bool waits; /* without a context, until it has the session */
	uint64_t library_memory[CHUNK_DEVICES_MAX]; /* bytes of each device: they go with the worker
						     */
	siginfo_t death;
	uint32_t commits; /* WORKER_COMMITTED messages that it was sent */
	bool late;        /* behind the last of them when it was looked at: `cpu_deadline` counts */
	struct cpu_deadline
		cpu_deadline; /* FORKED, ATTACHING, after a commit; DYING, once it was attached */
	struct loop *loop;
	struct loop_source *sources[4]; /* channel, stdout, stderr, pidfd */
	const struct worker_events *events;
	void *data;
};

/* Ask the zygote for a worker; worker_forked() follows. events and data are kept. */
struct worker *worker_new(uint32_t id, struct zygote_client *z, int arena,
			  const struct worker_device *device, const struct worker_events *events,
			  void *data, struct error *err);
/*
 * Kills the process if it still lives; waits half a second at most for one that may be on a GPU,
 * whose files are removed, and not for others. NULL is accepted.
 */
void worker_free(struct worker *w);

/* STARTING -> FORKED. */
int worker_forked(struct worker *w, pid_t pid, struct error *err);
/* Deliver events from this loop; once for each worker. */
void worker_watch(struct worker *w, struct loop *loop);

/* A worker that takes no messages is killed: its death goes the ordinary way. */
int worker_send(struct worker *w, uint32_t type, const void *data, size_t len, const int *fd,
		struct error *err);
/* Wait for one message at most ms milliseconds and deliver it to on_message; 1, 0 when none came,
 * -1 when it is gone. */
int worker_receive_one(struct worker *w, int ms, struct error *err);

/* SIGKILL to the worker and its process group; -> DYING. */
void worker_kill(struct worker *w);
/* Ask Linux to stop it. It goes on until each of its threads has had a processor. */
int worker_stop(struct worker *w, struct error *err);
/* 1: it stands still, 0: not yet, -1: it has ended. */
int worker_has_stopped(const struct worker *w, struct error *err);
void worker_continue(struct worker *w);
/* Blocks until it is dead, at most ms milliseconds; delivers its last messages and on_death. */
bool worker_await_death(struct worker *w, int ms);
/* Of all devices together; w may be NULL. */
uint64_t worker_library_memory(const struct worker *w);

#endif
