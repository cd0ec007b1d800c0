/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file in which the kernels of a machine, or of all containers that mount its folder, list the
 * device memory that they hold. Each kernel has a slot and a lock on it (an open file description
 * lock, fcntl(2)). Linux releases the lock when the process ends, however it ends: a slot without a
 * lock is empty. Process numbers are not used, since they mean nothing in another container.
 *
 * A second lock makes read-modify-write atomic: what share_file_read() has returned stays true
 * until share_file_unlock().
 *
 * Whoever may write the file may also damage or remove it. A kernel that is in the list repairs it
 * when it writes next: the header, its own slot, and a missing file.
 */
#ifndef CGPU_KERNEL_SHARE_SHARE_FILE_H
#define CGPU_KERNEL_SHARE_SHARE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;

#define SHARE_SLOTS 256
#define SHARE_DEVICES 16 /* maximum number of devices on which one kernel holds memory */
#define SHARE_NAME_MAX 160
#define SHARE_UUID_SIZE 16

/* One kernel's memory on one device. */
struct share_row {
	uint8_t device[SHARE_UUID_SIZE]; /* all 0: the row is empty */
	uint64_t held;                   /* bytes */
	uint64_t parked;                 /* bytes that are parked and will be wanted again */
	uint64_t wanted;                 /* bytes that it waits for; 0: it does not wait */
	uint64_t ticket;                 /* position in the queue: the smallest is served first */
};

struct share_slot {
	int64_t pid;         /* in the name space of its own container */
	uint64_t idle_since; /* seconds since 1970; 0: a cell is at work */
	uint64_t gives;      /* 1: it is idle, and parks its memory when somebody waits for it */
	char name[SHARE_NAME_MAX]; /* of the notebook, NUL-terminated */
	struct share_row rows[SHARE_DEVICES];
};

struct share_file {
	int fd; /* -1: not open */
	/* Readable when somebody has written to the file or left it, see share_file_drain(); -1:
	 * not available. */
	int watch;
	unsigned slot;
	char *path;
};

#define SHARE_FILE_INIT { .fd = -1, .watch = -1 }

/*
 * Takes a slot; a missing file or folder is created. ERROR_STATE: the file is of another version,
 * or all slots are taken.
 */
int share_file_open(struct share_file *f, const char *path, const struct share_slot *own,
		    struct error *err);
void share_file_close(struct share_file *f);

/*
 * Locks the file, which others hold for microseconds. ERROR_TIMEOUT: the holder has not released it
 * for SHARE_LOCK_MS. On success the file is whole, and the own slot in it is `own`; any other error
 * means that it cannot be repaired.
 */
#define SHARE_LOCK_MS 200
int share_file_lock(struct share_file *f, const struct share_slot *own, struct error *err);
void share_file_unlock(struct share_file *f);

/* Reads, under the lock, the slots of living kernels by number, *ret_n of them up to the last one;
 * slots without a name are empty. */
int share_file_read(struct share_file *f, struct share_slot ret[SHARE_SLOTS], unsigned *ret_n,
		    struct error *err);
int share_file_write(struct share_file *f, const struct share_slot *own, struct error *err);

/* Consumes the events of `watch`. */
void share_file_drain(struct share_file *f);

#endif
