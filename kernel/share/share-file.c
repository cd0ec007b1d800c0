/* SPDX-License-Identifier: Apache-2.0 */
/*
 * share_file_lock() locks byte 0 of the file; the owner of a slot locks the slot's first byte, for
 * as long as it lives. Locks of an open file description end with its last descriptor, so the
 * descriptor is never inherited.
 *
 * inotify reports writes and the end of an owner. The latter event comes just before Linux releases
 * the lock; a reader that depends on it must look again a moment later.
 */
#define _GNU_SOURCE
#include "kernel/share/share-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/regular-file.h"
#include "common/base/whole-io.h"
#include "kernel/settings/folders.h"

#define VERSION 2
#define WATCHED (IN_MODIFY | IN_CLOSE_WRITE)

struct header {
	char magic[8];
	uint32_t version;
	uint32_t slot_size;
};

static const struct header own_header = { "cgpu-gpu", VERSION, sizeof(struct share_slot) };

static uint64_t place_of(unsigned slot)
{
	return sizeof(struct header) + (uint64_t)slot * sizeof(struct share_slot);
}

static struct flock byte_lock(uint64_t at, short type)
{
	return (struct flock){
		.l_type = type, .l_whence = SEEK_SET, .l_start = (off_t)at, .l_len = 1
	};
}

static int lock(int fd, struct error *err)
{
	struct flock l = byte_lock(0, F_WRLCK);
	const struct timespec pause = { .tv_nsec = 200000 };
	uint64_t until = clock_now_ns() + SHARE_LOCK_MS * 1000000ull;

	while (fcntl(fd, F_OFD_SETLK, &l)) {
		if (errno != EAGAIN && errno != EACCES && errno != EINTR)
			return error_errno(
				err,
				"the list of notebooks on this machine's GPUs cannot be locked");
		if (clock_now_ns() > until)
			return error_set(
				err, ERROR_TIMEOUT,
				"the list of notebooks on this machine's GPUs is locked by a "
				"kernel that does not go on; is one of them stopped (SIGSTOP)?");
		nanosleep(&pause, NULL);
	}
	return 0;
}

void share_file_unlock(struct share_file *f)
{
	struct flock l = byte_lock(0, F_UNLCK);

	fcntl(f->fd, F_OFD_SETLK, &l);
}

/* Tells whether no other kernel has a slot. */
static bool is_alone(const struct share_file *f)
{
	struct flock l = byte_lock(1, F_WRLCK);

	l.l_len = 0; /* to the end */
	return !fcntl(f->fd, F_OFD_GETLK, &l) && l.l_type == F_UNLCK;
}

/* Makes the file anew, when no kernel is in it. */
static int make(struct share_file *f, struct error *err)
{
	if (ftruncate(f->fd, 0) ||
	    whole_pwrite(f->fd, &own_header, sizeof(own_header), 0) < sizeof(own_header))
		return error_errno(err, "cannot write to it");
	return 0;
}

static int check_header(struct share_file *f, struct error *err)
{
	struct header h = { 0 };
	struct stat st;
	size_t size;

	if (fstat(f->fd, &st))
		return error_errno(err, "cannot look at it");
	if (st.st_uid && st.st_uid != geteuid())
		return error_set(err, ERROR_STATE,
				 "it belongs to user %u; kernels of several users share a file "
				 "that root has made, and that all may write",
				 (unsigned)st.st_uid);
	size = st.st_size < (off_t)sizeof(h) ? (size_t)st.st_size : sizeof(h);
	if (whole_pread(f->fd, &h, size, 0) < size)
		return error_errno(err, "cannot read it");
	if (memcmp(h.magic, own_header.magic, size < sizeof(h.magic) ? size : sizeof(h.magic)))
		return error_set(err, ERROR_STATE,
				 "it is something else than a list of notebooks; name another file "
				 "(--share)");
	if (!memcmp(&h, &own_header, sizeof(h)))
		return 0;
	if (!is_alone(f) && size == sizeof(h))
		return error_set(err, ERROR_STATE,
				 "another version of cgpu has made it; end the kernels of that "
				 "version and remove the file, or name another one (--share)");
	return make(f, err);
}

static int take_slot(struct share_file *f, struct error *err)
{
	for (f->slot = 0; f->slot < SHARE_SLOTS; f->slot++) {
		struct flock l = byte_lock(place_of(f->slot), F_WRLCK);

		if (!fcntl(f->fd, F_OFD_SETLK, &l))
			return 0;
		if (errno != EAGAIN && errno != EACCES)
			return error_errno(err, "cannot lock it");
	}
	return error_set(err, ERROR_STATE,
			 "%d kernels use it already, and there is room for no more", SHARE_SLOTS);
}

/* Enters the list; the file is locked. */
static int enter(struct share_file *f, const struct share_slot *own, struct error *err)
{
	return check_header(f, err) || take_slot(f, err) || share_file_write(f, own, err) ? -1 : 0;
}

/* Starts to watch the file. A user can have 128 inotify instances and may have used them up. */
static void watch(struct share_file *f)
{
	f->watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (f->watch >= 0 && inotify_add_watch(f->watch, f->path, WATCHED) < 0) {
		close(f->watch);
		f->watch = -1;
	}
}

static int open_path(const char *path, struct error *err)
{
	int fd;

	if (folders_make_for(path, 0700, err))
		return -1;
	fd = regular_file_open(AT_FDCWD, path, O_RDWR | O_CREAT | O_NOFOLLOW, 0600, err);
	return fd < 0 ? error_wrap(err, "cannot open %s", path) : fd;
}

int share_file_open(struct share_file *f, const char *path, const struct share_slot *own,
		    struct error *err)
{
	int failed;

	*f = (struct share_file)SHARE_FILE_INIT;
	f->fd = open_path(path, err);
	if (f->fd < 0)
		return -1;
	f->path = strdup(path);
	if (!f->path) {
		share_file_close(f);
		return error_set(err, ERROR_MEMORY, "out of memory for the path of a file");
	}
	watch(f);
	failed = lock(f->fd, err);
	if (!failed) {
		failed = enter(f, own, err);
		share_file_unlock(f);
	}
	if (!failed)
		return 0;
	error_wrap(err, "%s", path);
	share_file_close(f);
	return -1;
}

/* Moves to another file, because this one was removed: opens or creates the file at the path, which
 * is then this kernel's, and locked. */
static int move(struct share_file *f, const struct share_slot *own, struct error *err)
{
	struct share_file new = *f;

	new.fd = open_path(f->path, err);
	if (new.fd < 0)
		return -1;
	if (lock(new.fd, err) || enter(&new, own, err)) {
		close(new.fd);
		return -1;
	}
	close(f->fd);
	*f = new;
	/* The watch descriptor stays the same, since somebody may be waiting on it. */
	if (f->watch >= 0 && inotify_add_watch(f->watch, f->path, WATCHED) < 0)
		log_debug("changes of %s are seen late: %s", f->path, strerror(errno));
	return 0;
}

static int mend(struct share_file *f, const struct share_slot *own, struct error *err)
{
	struct share_slot there;
	struct header h = { 0 };
	struct stat st;

	if (fstat(f->fd, &st))
		return error_errno(err,
				   "cannot look at the list of notebooks on this machine's GPUs");
	if (!st.st_nlink)
		return move(f, own, err);
	whole_pread(f->fd, &h, sizeof(h), 0);
	if (memcmp(&h, &own_header, sizeof(h)) &&
	    whole_pwrite(f->fd, &own_header, sizeof(h), 0) < sizeof(h))
		return error_errno(err,
				   "cannot write to the list of notebooks on this machine's GPUs");
	if (whole_pread(f->fd, &there, sizeof(there), place_of(f->slot)) == sizeof(there) &&
	    !memcmp(&there, own, sizeof(there)))
		return 0;
	return share_file_write(f, own, err);
}

int share_file_lock(struct share_file *f, const struct share_slot *own, struct error *err)
{
	if (lock(f->fd, err))
		return -1;
	if (!mend(f, own, err))
		return 0;
	share_file_unlock(f);
	return -1;
}

void share_file_close(struct share_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	if (f->watch >= 0)
		close(f->watch);
	free(f->path);
	*f = (struct share_file)SHARE_FILE_INIT;
}

/* Tells whether another process holds the slot's lock. */
static bool is_owned(const struct share_file *f, unsigned slot)
{
	struct flock l = byte_lock(place_of(slot), F_WRLCK);

	return slot == f->slot || (!fcntl(f->fd, F_OFD_GETLK, &l) && l.l_type != F_UNLCK);
}

int share_file_read(struct share_file *f, struct share_slot ret[SHARE_SLOTS], unsigned *ret_n,
		    struct error *err)
{
	struct stat st;
	uint64_t n;

	if (fstat(f->fd, &st))
		return error_errno(err,
				   "cannot look at the list of notebooks on this machine's GPUs");
	/* A file that was emptied a moment ago has no slots. */
	n = (uint64_t)st.st_size < sizeof(struct header)
		    ? 0
		    : ((uint64_t)st.st_size - sizeof(struct header)) / sizeof(struct share_slot);
	*ret_n = n < SHARE_SLOTS ? (unsigned)n : SHARE_SLOTS;
	if (whole_pread(f->fd, ret, *ret_n * sizeof(*ret), sizeof(struct header)) <
	    *ret_n * sizeof(*ret))
		return error_errno(err, "cannot read the list of notebooks on this machine's GPUs");
	for (unsigned i = 0; i < *ret_n; i++) {
		ret[i].name[SHARE_NAME_MAX - 1] = '\0';
		if (!is_owned(f, i))
			memset(&ret[i], 0, sizeof(ret[i]));
	}
	return 0;
}

int share_file_write(struct share_file *f, const struct share_slot *own, struct error *err)
{
	if (whole_pwrite(f->fd, own, sizeof(*own), place_of(f->slot)) < sizeof(*own))
		return error_errno(err,
				   "cannot write to the list of notebooks on this machine's GPUs");
	return 0;
}

void share_file_drain(struct share_file *f)
{
	char events[1024];

	while (read(f->watch, events, sizeof(events)) > 0)
		;
}
