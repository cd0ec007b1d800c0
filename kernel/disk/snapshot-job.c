/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread holds flock() on the folder from start to end, exclusive for a save and shared
 * otherwise, and tries for it every 10 ms, so that it can be cancelled meanwhile. A save appends
 * blocks that are not there yet, synchronises them, and only then renames the file that names them
 * into place. Holes and zero blocks are left out. Unused blocks are removed after a save, when they
 * are more than half of the store. Device memory is handed over as file descriptors, by a mutex and
 * a condition; `wake` is an eventfd.
 */
#define _GNU_SOURCE
#include "kernel/disk/snapshot-job.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common/base/cleanup.h"
#include "common/base/record.h"
#include "common/base/whole-io.h"
#include "common/memory/file-data.h"
#include "kernel/base/thread.h"
#include "kernel/disk/block-store.h"
#include "kernel/settings/folders.h"
#include "kernel/state/arena-file.h"
#include "kernel/state/snapshot-view.h"
#include "kernel/state/snapshot.h"

#define LOCK_TRIES 1000
#define LOCK_PAUSE_NS 10000000
#define NICE 10
#define SWEEP_SLACK (16ull * 1024 * 1024)

/* ---- folder ---- */

int snapshot_folder_open(const char *folder, bool make, struct error *err)
{
	int fd;

	if (make && folders_make(folder, 0700, err))
		return error_wrap(err, "snapshots");
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return error_set(err, ERROR_NOT_FOUND, "there are no snapshots of this notebook");
	return fd < 0 ? error_errno(err, "cannot open the folder of snapshots %s", folder) : fd;
}

/* ---- between the threads ---- */

static void set_state(struct snapshot_job *j, enum snapshot_job_state state)
{
	j->state = state;
	eventfd_write(j->wake, 1);
}

int snapshot_job_check(struct snapshot_job *j, struct error *err)
{
	static const char *const given_up[] = {
		[JOB_SAVE] = "given up; what was saved before is as it was",
		[JOB_LOAD] = "given up; the session is as it was",
		[JOB_EXAMINE] = "given up",
	};

	if (atomic_load(&j->cancelled))
		return error_set(err, ERROR_STATE, "%s", given_up[j->kind]);
	if (j->kind == JOB_SAVE && snapshot_view_is_broken(j->view))
		return error_set(err, ERROR_STATE, "the session was changed meanwhile");
	return 0;
}

static int lock_folder(struct snapshot_job *j, int dir, int how, struct error *err)
{
	const struct timespec pause = { 0, LOCK_PAUSE_NS };

	for (int i = 0; flock(dir, how | LOCK_NB); i++) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return error_errno(err, "cannot lock the folder of snapshots");
		if (snapshot_job_check(j, err))
			return -1;
		if (i == LOCK_TRIES)
			return error_set(err, ERROR_TIMEOUT,
					 "another kernel works in the folder of snapshots %s",
					 j->folder);
		nanosleep(&pause, NULL);
	}
	return 0;
}

/* Asks the event loop for a piece of device memory and waits for it. */
static int want_device(struct snapshot_job *j, const struct snapshot_piece *p, struct error *err)
{
	int fd;

	pthread_mutex_lock(&j->lock);
	j->wanted = *p;
	j->has_given = false;
	set_state(j, JOB_WANTS_DEVICE);
	while (!j->has_given && !atomic_load(&j->cancelled))
		pthread_cond_wait(&j->given, &j->lock);
	fd = j->has_given ? j->given_fd : -1;
	j->has_given = false;
	set_state(j, JOB_RUNS);
	pthread_mutex_unlock(&j->lock);
	if (fd < 0 && !snapshot_job_check(j, err))
		return error_set(err, ERROR_STATE, "the device memory could not be read");
	return fd;
}

enum snapshot_job_state snapshot_job_state(struct snapshot_job *j,
					   struct snapshot_piece *ret_wanted)
{
	enum snapshot_job_state state;

	pthread_mutex_lock(&j->lock);
	state = j->state;
	if (state == JOB_WANTS_DEVICE && j->has_given)
		state = JOB_RUNS;
	*ret_wanted = j->wanted;
	pthread_mutex_unlock(&j->lock);
	return state;
}

void snapshot_job_give(struct snapshot_job *j, int fd)
{
	pthread_mutex_lock(&j->lock);
	if (j->state == JOB_WANTS_DEVICE && !j->has_given) {
		j->given_fd = fd;
		j->has_given = true;
		pthread_cond_signal(&j->given);
	} else if (fd >= 0) {
		close(fd);
	}
	pthread_mutex_unlock(&j->lock);
}

void snapshot_job_cancel(struct snapshot_job *j)
{
	pthread_mutex_lock(&j->lock);
	atomic_store(&j->cancelled, true);
	pthread_cond_signal(&j->given);
	pthread_mutex_unlock(&j->lock);
}

/* ---- saving ---- */

static int put_block(struct snapshot_job *j, struct block_store *s, uint64_t address,
		     const char *data, size_t len, struct error *err)
{
	struct snapshot_block b = { .address = address, .len = (uint32_t)len };
	uint64_t before = s->end;
	bool fresh;

	if (snapshot_job_check(j, err))
		return -1;
	if (file_data_is_zero(data, len))
		return 0;
	j->bytes += len;
	if (block_store_put(s, data, len, &b.hash, &fresh, err))
		return -1;
	if (fresh)
		save_hook_call(&j->hook, SAVE_BLOCK);
	j->written += s->end - before;
	return snapshot_file_add(&j->file, &b, err);
}

int snapshot_job_piece(struct snapshot_job *j, size_t i, struct error *err)
{
	int fd;

	if (!j->gathered)
		return want_device(j, &j->pieces[i], err);
	fd = j->gathered[i];
	j->gathered[i] = -1;
	return fd;
}

static int put_piece(struct snapshot_job *j, struct block_store *s, size_t i, struct error *err)
{
	const struct snapshot_piece *p = &j->pieces[i];
	cleanup_fd int fd = snapshot_job_piece(j, i, err);
	struct stat st;
	char *data;
	int result = 0;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) || (uint64_t)st.st_size < p->size)
		return error_set(err, ERROR_PROTOCOL, "the device memory came in part only");
	data = mmap(NULL, p->size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		return error_errno(err, "cannot map a copy of device memory");
	for (uint64_t at = 0; at < p->size && !result; at += BLOCK_SIZE)
		result = put_block(j, s, p->address + at, data + at,
				   p->size - at < BLOCK_SIZE ? p->size - at : BLOCK_SIZE, err);
	munmap(data, p->size);
	return result;
}

static int put_region(struct snapshot_job *j, struct block_store *s, enum arena_region r,
		      char *data, struct error *err)
{
	uint64_t at = arena_region_offset(r), end = at + j->file.top[r];

	while (at < end) {
		uint64_t start, stop;
		int found = file_data_next(j->arena.fd, at, end, &start, &stop, err);
		size_t len;

		if (found <= 0)
			return found;
		at = start / BLOCK_SIZE * BLOCK_SIZE;
		len = end - at < BLOCK_SIZE ? end - at : BLOCK_SIZE;
		if (snapshot_view_read(j->view, j->arena.fd, data, len, at, err) ||
		    put_block(j, s, ARENA_BASE + at, data, len, err))
			return -1;
		at += BLOCK_SIZE;
	}
	return 0;
}

static int put_all(struct snapshot_job *j, struct block_store *s, struct error *err)
{
	cleanup_free char *data = malloc(BLOCK_SIZE);

	if (!data)
		return error_set(err, ERROR_MEMORY, "out of memory for a snapshot");
	for (int r = 0; r < ARENA_REGIONS; r++)
		if (put_region(j, s, (enum arena_region)r, data, err))
			return -1;
	return snapshot_job_check(j, err);
}

/* ---- sweeping ---- */

struct sweep {
	struct snapshot_job *job;
	int dir;
	struct block_hash *live;
	size_t n, cap;
	uint64_t bytes;
	bool failed;
	const struct block_store *store;
};

static int by_hash(const void *a, const void *b)
{
	const struct block_hash *x = a, *y = b;

	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	return (x->high > y->high) - (x->high < y->high);
}

static void note_live(void *data, const char *name)
{
	struct sweep *w = data;
	struct snapshot_file f;

	/* A file that cannot be read may be of a later version, so nothing is removed. */
	if (w->failed || snapshot_file_read(w->dir, name, &f, NULL)) {
		w->failed = true;
		return;
	}
	if (w->n + f.n_blocks > w->cap) {
		size_t cap = (w->n + f.n_blocks) * 2;
		struct block_hash *live = realloc(w->live, cap * sizeof(*live));

		w->failed = !live;
		if (live) {
			w->live = live;
			w->cap = cap;
		}
	}
	for (size_t i = 0; !w->failed && i < f.n_blocks; i++)
		w->live[w->n++] = f.blocks[i].hash;
	snapshot_file_release(&f);
}

static bool is_live(void *data, struct block_hash hash)
{
	struct sweep *w = data;

	return bsearch(&hash, w->live, w->n, sizeof(hash), by_hash) != NULL;
}

static void on_sweep(void *data, int done)
{
	save_hook_call(&((struct sweep *)data)->job->hook, done ? SAVE_SWEPT : SAVE_SWEEPING);
}

/* Sweeps the store when more than half of its blocks are unused. The save has succeeded, whatever
 * the result. */
static void sweep(struct snapshot_job *j, int dir, struct block_store *s)
{
	struct sweep w = { .job = j, .dir = dir, .store = s };

	if (snapshot_file_each(dir, note_live, &w, NULL) || w.failed) {
		free(w.live);
		return;
	}
	if (w.n)
		qsort(w.live, w.n, sizeof(*w.live), by_hash);
	for (size_t i = 0; i < w.n; i++)
		if (!i || by_hash(&w.live[i], &w.live[i - 1]))
			w.bytes += block_store_find(s, w.live[i]);
	if (s->packed > 2 * w.bytes + SWEEP_SLACK)
		block_store_sweep(s, is_live, on_sweep, &w, NULL);
	free(w.live);
}

static int save_to(struct snapshot_job *j, int dir, struct block_store *s, struct error *err)
{
	for (size_t i = 0; i < j->n_pieces; i++)
		if (put_piece(j, s, i, err))
			return -1;
	if (put_all(j, s, err))
		return -1;
	save_hook_call(&j->hook, SAVE_BLOCKS);
	if (block_store_sync(s, err))
		return -1;
	save_hook_call(&j->hook, SAVE_BLOCKS_SYNCED);
	return snapshot_file_write(dir, j->name, &j->file, j->automatic, &j->hook, err);
}

static int finish_save(struct snapshot_job *j, int dir, struct block_store *s, struct error *err)
{
	if (fsync(dir))
		return error_errno(err, "the snapshot was written, but may not be on disk yet");
	save_hook_call(&j->hook, SAVE_RENAMED);
	sweep(j, dir, s);
	return 0;
}

static int not_written(const struct snapshot_job *j, struct error *err)
{
	if (err->code == ERROR_STATE || err->code == ERROR_TIMEOUT)
		return -1;
	return error_wrap(err, "the snapshot was not written to %s, and what is there is as it was",
			  j->folder);
}

static int save(struct snapshot_job *j, struct error *err)
{
	cleanup_fd int dir = snapshot_folder_open(j->folder, true, err);
	struct block_store s;
	uint64_t end;
	int result;

	if (dir < 0 || lock_folder(j, dir, LOCK_EX, err))
		return not_written(j, err);
	save_hook_call(&j->hook, SAVE_LOCKED);
	snapshot_file_clean(dir);
	if (block_store_open(&s, dir, true, err))
		return not_written(j, err);
	s.checks = !j->automatic;
	end = s.end;
	result = save_to(j, dir, &s, err);
	/* Blocks of a cancelled save help the next one; after an error such as a full disk they
	 * only take room. */
	if (result && err->code != ERROR_STATE)
		block_store_cut(&s, end, NULL);
	result = result ? not_written(j, err) : finish_save(j, dir, &s, err);
	block_store_close(&s);
	return result;
}

/* ---- loading ---- */

static int take_pieces(struct snapshot_job *j, struct error *err)
{
	struct record r = record_open(j->file.device.data, j->file.device.len);
	uint32_t n = record_count(&r, 16);
	uint64_t offset = 0;

	j->pieces = calloc(n + 1, sizeof(*j->pieces));
	if (!j->pieces)
		return error_set(err, ERROR_MEMORY, "out of memory for a snapshot");
	for (j->n_pieces = 0; j->n_pieces < n; j->n_pieces++) {
		struct snapshot_piece *p = &j->pieces[j->n_pieces];

		p->address = record_u64(&r);
		p->size = record_u64(&r);
		p->offset = offset;
		offset += p->size;
	}
	if (record_check(&r, "the device memory of the snapshot", err))
		return -1;
	if (ftruncate(j->device_fd, (off_t)offset))
		return error_errno(err, "no memory for the device memory of the snapshot");
	return 0;
}

/* Finds the file and the offset in it that a block belongs to. */
static int place_of(const struct snapshot_job *j, const struct snapshot_block *b, int *ret_fd,
		    uint64_t *ret_offset)
{
	uint64_t at = b->address - ARENA_BASE;

	*ret_fd = j->arena.fd;
	*ret_offset = at;
	for (int r = 0; r < ARENA_REGIONS; r++) {
		uint64_t in = at - arena_region_offset((enum arena_region)r);

		if (in < j->file.top[r] && b->len <= j->file.top[r] - in)
			return 0;
	}
	*ret_fd = j->device_fd;
	for (size_t i = 0; i < j->n_pieces; i++) {
		uint64_t in = b->address - j->pieces[i].address;

		if (in < j->pieces[i].size && b->len <= j->pieces[i].size - in) {
			*ret_offset = j->pieces[i].offset + in;
			return 0;
		}
	}
	return -1;
}

static int take_block(struct snapshot_job *j, struct block_store *s, const struct snapshot_block *b,
		      char *data, struct error *err)
{
	uint64_t offset;
	int fd;

	if (snapshot_job_check(j, err))
		return -1;
	if (place_of(j, b, &fd, &offset))
		return error_set(err, ERROR_INPUT,
				 "a block of it lies outside the session's memory");
	if (block_store_get(s, b->hash, data, b->len, err))
		return -1;
	if (whole_pwrite(fd, data, b->len, offset) != b->len)
		return error_errno(err, "no memory for the content of the snapshot");
	j->bytes += b->len;
	return 0;
}

static int take_blocks(struct snapshot_job *j, int dir, struct error *err)
{
	cleanup_free char *data = malloc(BLOCK_SIZE);
	struct block_store s;
	int result = 0;

	if (!data)
		return error_set(err, ERROR_MEMORY, "out of memory for a snapshot");
	if (block_store_open(&s, dir, false, err))
		return -1;
	for (size_t i = 0; i < j->file.n_blocks && !result; i++)
		result = take_block(j, &s, &j->file.blocks[i], data, err);
	block_store_close(&s);
	return result;
}

static int load(struct snapshot_job *j, struct error *err)
{
	cleanup_fd int dir = snapshot_folder_open(j->folder, false, err);
	const char *name = j->name;

	if (dir < 0 || lock_folder(j, dir, LOCK_SH, err))
		return -1;
	if (!strcmp(name, SNAPSHOT_LAST))
		name = snapshot_file_last(dir, j->file.owner);
	if (snapshot_file_read(dir, name, &j->file, err))
		return -1;
	j->device_fd = memfd_create("cgpu-device", MFD_CLOEXEC);
	if (arena_file_init(&j->arena, j->mount, err))
		return -1;
	if (j->device_fd < 0)
		return error_errno(err, "memfd_create");
	if (take_pieces(j, err) || take_blocks(j, dir, err))
		return error_wrap(err, "snapshot '%s' cannot be loaded", j->name);
	return 0;
}

/* ---- examining ---- */

static int examine(struct snapshot_job *j, struct error *err)
{
	cleanup_fd int dir = snapshot_folder_open(j->folder, false, err);

	if (dir < 0 || lock_folder(j, dir, LOCK_SH, err))
		return -1;
	return j->examine(j, dir, j->examine_data, err);
}

/* ---- thread ---- */

static int (*const kinds[])(struct snapshot_job *j, struct error *err) = {
	[JOB_SAVE] = save,
	[JOB_LOAD] = load,
	[JOB_EXAMINE] = examine,
};

static void *work(void *data)
{
	struct snapshot_job *j = data;
	struct timespec cpu;

	if (j->gentle)
		setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), NICE);
	j->failed = kinds[j->kind](j, &j->error) != 0;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
	j->cpu_ms = (uint64_t)cpu.tv_sec * 1000 + (uint64_t)cpu.tv_nsec / 1000000;
	/* The allocator does not return the compressor's memory to Linux by itself. */
	malloc_trim(0);
	pthread_mutex_lock(&j->lock);
	set_state(j, JOB_DONE);
	pthread_mutex_unlock(&j->lock);
	return NULL;
}

struct snapshot_job *snapshot_job_new(enum snapshot_job_kind kind, const char *folder,
				      const char *name, struct error *err)
{
	struct snapshot_job *j = calloc(1, sizeof(*j));

	if (!j) {
		error_set(err, ERROR_MEMORY, "out of memory for a snapshot");
		return NULL;
	}
	j->kind = kind;
	j->arena = (struct arena_file)ARENA_FILE_INIT;
	j->device_fd = j->given_fd = -1;
	pthread_mutex_init(&j->lock, NULL);
	pthread_cond_init(&j->given, NULL);
	j->folder = strdup(folder);
	j->name = strdup(name);
	j->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (j->folder && j->name && j->wake >= 0)
		return j;
	snapshot_job_free(j);
	error_set(err, ERROR_MEMORY, "out of memory for a snapshot");
	return NULL;
}

int snapshot_job_start(struct snapshot_job *j, struct error *err)
{
	int result = thread_start(&j->thread, work, j);

	if (result)
		return error_set(err, ERROR_SYSTEM, "cannot start a thread for the snapshot: %s",
				 strerror(result));
	j->started = true;
	return 0;
}

void snapshot_job_end(struct snapshot_job *j)
{
	if (!j->started)
		return;
	snapshot_job_cancel(j);
	pthread_join(j->thread, NULL);
	j->started = false;
}

void snapshot_job_free(struct snapshot_job *j)
{
	if (!j)
		return;
	snapshot_job_end(j);
	if (j->has_given && j->given_fd >= 0)
		close(j->given_fd);
	arena_file_release(&j->arena);
	if (j->device_fd >= 0)
		close(j->device_fd);
	if (j->wake >= 0)
		close(j->wake);
	for (size_t i = 0; i < j->n_gathered; i++)
		if (j->gathered[i] >= 0)
			close(j->gathered[i]);
	free(j->gathered);
	snapshot_file_release(&j->file);
	pthread_mutex_destroy(&j->lock);
	pthread_cond_destroy(&j->given);
	free(j->pieces);
	free(j->folder);
	free(j->name);
	free(j);
}
