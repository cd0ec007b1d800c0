/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file is found by a descriptor or by a mapping. Linux says how much memory a file with a
 * descriptor has; of one that is only mapped it says how much of it the process has touched.
 * Findings are sorted by file, so that a file that many hold counts once.
 */
#define _GNU_SOURCE
#include "kernel/cell-run/shared-memory.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "common/base/array.h"
#include "common/base/cleanup.h"
#include "common/cuda/emulator-extension.h"

/* More findings are not looked at; the machine's count is taken instead. */
#define FINDINGS_MAX 65536
#define PATH_SIZE 64

enum kind { BY_DESCRIPTOR, BY_MAPPING };

struct finding {
	dev_t dev;
	ino_t ino;
	enum kind kind;
	pid_t pid; /* BY_MAPPING: its mappings of the file are added */
	bool of_device;
	uint64_t bytes;
};

struct findings {
	const struct shared_memory *m;
	struct finding *at;
	size_t n, cap;
	bool too_many;
};

uint64_t shared_memory_of_machine(void)
{
	struct sysinfo info;

	return sysinfo(&info) ? 0 : (uint64_t)info.sharedram * info.mem_unit;
}

static void add(struct findings *f, const struct finding *found)
{
	if (f->n == FINDINGS_MAX || !ARRAY_ROOM(f->at, f->n, &f->cap))
		f->too_many = true;
	else
		f->at[f->n++] = *found;
}

/* ---- descriptors ---- */

static bool is_in_memory(const char *path)
{
	struct statfs fs;

	return !statfs(path, &fs) && (fs.f_type == TMPFS_MAGIC || fs.f_type == RAMFS_MAGIC ||
				      fs.f_type == HUGETLBFS_MAGIC);
}

static bool is_for_writing(pid_t pid, const char *descriptor)
{
	cleanup_file FILE *f = NULL;
	char path[PATH_SIZE], line[128];
	unsigned flags = 0;

	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%.20s", (int)pid, descriptor);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "flags: %o", &flags) == 1)
			break;
	return (flags & O_ACCMODE) != O_RDONLY;
}

/* A file with a name may be somebody's data: it is a cell's if it was made since, and can be
 * written. */
static bool is_made_by_cells(const struct shared_memory *m, pid_t pid, const char *descriptor,
			     const char *path, const struct stat *st)
{
	struct statx x;

	if (!st->st_nlink)
		return true;
	return !statx(AT_FDCWD, path, 0, STATX_BTIME, &x) && x.stx_mask & STATX_BTIME &&
	       x.stx_btime.tv_sec >= m->since && is_for_writing(pid, descriptor);
}

static bool is_of_device(const char *path)
{
	static const char name[] = "/memfd:" EMULATOR_MEMORY_NAME;
	char target[sizeof(name)] = "";

	return readlink(path, target, sizeof(target) - 1) > 0 &&
	       !strncmp(target, name, sizeof(name) - 1);
}

static void add_descriptor(struct findings *f, pid_t pid, const char *descriptor)
{
	char path[PATH_SIZE];
	struct finding found = { .kind = BY_DESCRIPTOR };
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/fd/%.20s", (int)pid, descriptor);
	if (stat(path, &st) || !S_ISREG(st.st_mode) || !st.st_blocks || major(st.st_dev) ||
	    !is_in_memory(path) || !is_made_by_cells(f->m, pid, descriptor, path, &st))
		return;
	found.dev = st.st_dev;
	found.ino = st.st_ino;
	found.bytes = (uint64_t)st.st_blocks * 512;
	found.of_device = is_of_device(path);
	add(f, &found);
}

static void add_descriptors(struct findings *f, pid_t pid)
{
	cleanup_dir DIR *dir = NULL;
	const struct dirent *d;
	char path[PATH_SIZE];

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	dir = opendir(path);
	while (dir && !f->too_many && (d = readdir(dir)))
		if (*d->d_name != '.')
			add_descriptor(f, pid, d->d_name);
}

/* ---- mappings ---- */

/* Reads "addresses rights offset major:minor inode path", for a file that has no descriptor by
 * which it must be found. */
static bool read_mapping(const char *line, struct finding *ret)
{
	unsigned maj, min;
	uint64_t ino;
	int at = 0;

	if (sscanf(line, "%*x-%*x %*s %*x %x:%x %" SCNu64 " %n", &maj, &min, &ino, &at) != 3 || !at)
		return false;
	ret->dev = makedev(maj, min);
	ret->ino = (ino_t)ino;
	line += at;
	return !strncmp(line, "/memfd:", 7) || !strncmp(line, "/dev/zero (deleted)", 19) ||
	       !strncmp(line, "/SYSV", 5);
}

static void add_mappings(struct findings *f, pid_t pid)
{
	struct finding found = { .kind = BY_MAPPING, .pid = pid };
	cleanup_file FILE *file = NULL;
	char path[PATH_SIZE], line[512];
	bool counts = false;
	uint64_t kb;

	snprintf(path, sizeof(path), "/proc/%d/smaps", (int)pid);
	file = fopen(path, "re");
	while (file && !f->too_many && fgets(line, sizeof(line), file)) {
		if (*line >= '0' && *line <= 'f' && strchr(line, '-')) {
			counts = read_mapping(line, &found);
		} else if (counts && sscanf(line, "Rss: %" SCNu64, &kb) == 1 && kb) {
			found.bytes = kb << 10;
			add(f, &found);
		}
	}
}

/* ---- System V ---- */

static bool has_pid(const struct shared_memory *m, pid_t pid)
{
	for (size_t i = 0; i < m->n_pids; i++)
		if (m->pids[i] == pid)
			return true;
	return false;
}

/* A segment that nobody has attached counts, too. In mappings it is a file of device 0:1 whose
 * inode is its number. */
static void add_segments(struct findings *f)
{
	cleanup_file FILE *file = fopen("/proc/sysvipc/shm", "re");
	struct finding found = { .kind = BY_DESCRIPTOR, .dev = makedev(0, 1) };
	uint64_t id, rss;
	char line[512];
	int maker;

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line,
			   "%*s %" SCNu64
			   " %*s %*s %d %*s %*s %*s %*s %*s %*s %*s %*s %*s %" SCNu64,
			   &id, &maker, &rss) != 3 ||
		    !has_pid(f->m, maker))
			continue;
		found.ino = (ino_t)id;
		found.bytes = rss;
		add(f, &found);
	}
}

/* ---- the sum ---- */

static int by_file(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;

	if (x->dev != y->dev)
		return x->dev < y->dev ? -1 : 1;
	if (x->ino != y->ino)
		return x->ino < y->ino ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return (x->pid > y->pid) - (x->pid < y->pid);
}

static bool is_known(const struct shared_memory *m, const struct finding *found)
{
	struct stat st;

	for (size_t i = 0; i < m->n_known; i++)
		if (m->known[i] >= 0 && !fstat(m->known[i], &st) && st.st_dev == found->dev &&
		    st.st_ino == found->ino)
			return true;
	return false;
}

/* Returns the bytes of the file that finding *at is of, and moves *at behind its findings. */
static uint64_t file_bytes(const struct findings *f, size_t *at)
{
	const struct finding *first = &f->at[*at];
	uint64_t most = 0, bytes = 0;

	for (pid_t pid = 0; *at < f->n; ++*at) {
		const struct finding *x = &f->at[*at];

		if (x->dev != first->dev || x->ino != first->ino)
			break;
		bytes = x->kind == BY_MAPPING && x->pid == pid ? bytes + x->bytes : x->bytes;
		pid = x->pid;
		if (bytes > most)
			most = bytes;
	}
	return most;
}

static uint64_t sum(struct findings *f)
{
	uint64_t bytes = 0, of_device = 0;

	if (f->n)
		qsort(f->at, f->n, sizeof(*f->at), by_file);
	for (size_t i = 0; i < f->n;) {
		const struct finding *x = &f->at[i];
		uint64_t size = file_bytes(f, &i);

		if (is_known(f->m, x))
			continue;
		if (x->of_device)
			of_device += size;
		else
			bytes += size;
	}
	return bytes + (of_device > f->m->device_limit ? of_device - f->m->device_limit : 0);
}

uint64_t shared_memory_bytes(const struct shared_memory *m)
{
	struct findings f = { .m = m };
	uint64_t bytes;

	for (size_t i = 0; i < m->n_pids && !f.too_many; i++) {
		add_descriptors(&f, m->pids[i]);
		add_mappings(&f, m->pids[i]);
	}
	add_segments(&f);
	bytes = f.too_many ? shared_memory_of_machine() : sum(&f);
	free(f.at);
	return bytes;
}
