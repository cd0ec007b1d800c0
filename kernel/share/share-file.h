/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file in which the kernels of a machine, or of all containers that have its folder, say what
 * device memory they hold. Each kernel has a slot and a lock on it (an open file description lock,
 * fcntl(2)). Linux takes the lock away when the process ends, however it ends: a slot without a
 * lock is empty, and process numbers, which mean nothing in another container, decide nothing.
 *
 * A second lock is held by who reads and then writes: what share_file_read() has given is true
 * until share_file_unlock().
 *
 * Whoever may write the file may also damage or remove it. A kernel that is in the list makes it
 * whole again, the next time that it has something to say: the header, its own slot, and a file
 * where there is none.
 */
#ifndef CGPU_KERNEL_SHARE_SHARE_FILE_H
#define CGPU_KERNEL_SHARE_SHARE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;

#define SHARE_SLOTS 256
#define SHARE_DEVICES 16 /* on which one kernel may hold memory */
#define SHARE_NAME_MAX 160
#define SHARE_UUID_SIZE 16

/* On one device. */
struct share_row {
	uint8_t device[SHARE_UUID_SIZE]; /* all 0: the row is empty */
	uint64_t held;                   /* bytes */
	uint64_t parked;                 /* bytes that it has put aside and will want again */
	uint64_t wanted;                 /* bytes that it waits for, 0: it does not */
	uint64_t ticket;                 /* of those who wait the smallest is served first */
};

struct share_slot {
	int64_t pid;         /* in the name space of its own container */
	uint64_t idle_since; /* seconds since 1970, 0: a cell is at work */
	uint64_t gives;      /* 1: it is idle, and parks what it holds when somebody waits for it */
	char name[SHARE_NAME_MAX]; /* of the notebook, NUL-terminated */
	struct share_row rows[SHARE_DEVICES];
};

struct share_file {
	int fd;    /* -1: not open */
	int watch; /* readable when somebody has written to the file or left it, see
		      share_file_drain(); -1: not to be had */
	unsigned slot;
	char *path;
};

#define SHARE_FILE_INIT { .fd = -1, .watch = -1 }

/*
 * Take a slot; the file and its folder are made when they are not there. ERROR_STATE: the file is
 * of another version, or all slots are taken.
 */
int share_file_open(struct share_file *f, const char *path, const struct share_slot *own,
		    struct error *err);
void share_file_close(struct share_file *f);

/*
 * Others hold it for microseconds. One that has stopped in the middle is waited for during
 * SHARE_LOCK_MS: ERROR_TIMEOUT. Then the file is whole, and the own slot in it is `own`; any other
 * error means that it cannot be.
 */
#define SHARE_LOCK_MS 200
int share_file_lock(struct share_file *f, const struct share_slot *own, struct error *err);
void share_file_unlock(struct share_file *f);

/* Under the lock: slots of the living by number, *ret_n of them up to the last one; those without a
 * name are empty. */
int share_file_read(struct share_file *f, struct share_slot ret[SHARE_SLOTS], unsigned *ret_n,
		    struct error *err);
int share_file_write(struct share_file *f, const struct share_slot *own, struct error *err);

/* Take what `watch` has to say. */
void share_file_drain(struct share_file *f);

#endif
