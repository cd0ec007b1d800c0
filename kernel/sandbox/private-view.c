/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stays is opened before its path is covered, and mounted again from the descriptor where the
 * path has come to lie in a private folder. One file system in memory has all private folders; its
 * own root cannot be reached by a path any more once /tmp is one of them.
 */
#define _GNU_SOURCE
#include "kernel/sandbox/private-view.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/path.h"
#include "common/sandbox/sandbox-apply.h"
#include "kernel/sandbox/namespace-child.h"
#include "kernel/sandbox/private-devices.h"
#include "kernel/settings/folders.h"

#define TEMPORARY "/tmp"
#define DEVICES "/dev"
#define SHARED DEVICES "/shm"
#define PLACES_MAX 16

struct place {
	char path[PATH_MAX];
	int fd;
	bool writable;
};

struct layout {
	struct place places[PLACES_MAX]; /* in the order in which they are mounted */
	size_t n, n_private;             /* the first ones are private */
};

/* Tells whether the path lies in one of the first n places. */
static bool lies_in_one(const char *path, const struct layout *l, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (path_lies_in(path, l->places[i].path))
			return true;
	return false;
}

/* Opens `source` for the place. */
static int add(struct layout *l, const char *path, const char *source, bool writable,
	       struct error *err)
{
	struct place *p = &l->places[l->n];

	if (l->n == PLACES_MAX)
		return error_set(err, ERROR_LIMIT, "too many folders in a view");
	snprintf(p->path, sizeof(p->path), "%s", path);
	p->writable = writable;
	p->fd = open(source, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (p->fd < 0)
		return error_errno(err, "cannot open %s", source);
	l->n++;
	return 0;
}

/* One that does not exist is left out. */
static int keep(struct layout *l, const char *path, bool writable, struct error *err)
{
	cleanup_free char *real = path && *path ? realpath(path, NULL) : NULL;

	return real ? add(l, real, real, writable, err) : 0;
}

static int add_private(struct layout *l, const char *path, const char *part, mode_t mode,
		       bool writable, struct error *err)
{
	if (mkdir(part, mode) && errno != EEXIST)
		return error_errno(err, "cannot make a private folder");
	if (chmod(part, mode) || add(l, path, part, writable, err))
		return -1;
	l->n_private = l->n;
	return 0;
}

/* Mounts the file system in memory, and opens its parts. */
static int make_private(const struct private_view *v, struct layout *l, bool covers_home,
			struct error *err)
{
	cleanup_free char *temporary =
		realpath(getenv("TMPDIR") ? getenv("TMPDIR") : TEMPORARY, NULL);
	cleanup_free char *home = covers_home ? realpath(v->home, NULL) : NULL;
	bool has_shared = !access(SHARED, F_OK);
	char options[64];

	snprintf(options, sizeof(options), "size=%" PRIu64 ",mode=0755", v->bytes);
	if (mount("cgpu", TEMPORARY, "tmpfs", MS_NOSUID | MS_NODEV, options))
		return error_errno(err, "cannot mount private folders");
	if (add_private(l, TEMPORARY, TEMPORARY "/tmp", 01777, true, err))
		return -1;
	if (add_private(l, DEVICES, TEMPORARY "/dev", 0755, false, err) ||
	    private_devices_mount(TEMPORARY "/dev", err))
		return -1;
	if (has_shared && add_private(l, SHARED, TEMPORARY "/shm", 01777, true, err))
		return -1;
	if (temporary && !path_lies_in(temporary, TEMPORARY) &&
	    add_private(l, temporary, TEMPORARY "/tmp", 01777, true, err))
		return -1;
	return home ? add_private(l, home, TEMPORARY "/home", 0700, true, err) : 0;
}

static int mount_place(const struct place *p, struct error *err)
{
	char source[64];

	snprintf(source, sizeof(source), "/proc/self/fd/%d", p->fd);
	if (folders_make(p->path, 0755, err))
		return -1;
	if (mount(source, p->path, NULL, MS_BIND | MS_REC, NULL))
		return error_errno(err, "cannot mount %s", p->path);
	return 0;
}

/* Lists the private places, and behind them what is kept. */
static int arrange(const struct private_view *v, struct layout *l, struct error *err)
{
	struct layout kept = { .n = 0 };
	char here[PATH_MAX];
	bool covers_home;

	if (!getcwd(here, sizeof(here)))
		return error_errno(err, "the working folder is gone");
	if (keep(&kept, here, false, err))
		return -1;
	for (size_t i = 0; i < v->n_kept; i++)
		if (keep(&kept, v->kept[i], false, err))
			return -1;
	covers_home =
		v->home && *v->home == '/' && v->home[1] && !lies_in_one(v->home, &kept, kept.n);
	if (keep(&kept, v->cache, true, err) || make_private(v, l, covers_home, err))
		return -1;
	for (size_t i = 0; i < kept.n; i++) {
		if (l->n == PLACES_MAX)
			return error_set(err, ERROR_LIMIT, "too many folders in a view");
		/* What can be written must be a mount of its own, wherever it lies. */
		if (kept.places[i].writable || lies_in_one(kept.places[i].path, l, l->n_private))
			l->places[l->n++] = kept.places[i];
	}
	return 0;
}

static int make(const void *data, int ret[NAMESPACE_CHILD_FDS], struct error *err)
{
	cleanup_free struct layout *l = calloc(1, sizeof(*l));
	const char *writable[PLACES_MAX];
	size_t n = 0;

	if (!l)
		return error_set(err, ERROR_MEMORY, "out of memory for a view");
	if (arrange(data, l, err))
		return -1;
	for (size_t i = 0; i < l->n; i++) {
		if (mount_place(&l->places[i], err))
			return -1;
		if (l->places[i].writable)
			writable[n++] = l->places[i].path;
	}
	if (sandbox_apply_read_only(writable, n, false, err))
		return -1;
	ret[0] = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
	return ret[0] < 0 ? error_errno(err, "cannot open the view") : 1;
}

int private_view_make(const struct private_view *v, int *ret, struct error *err)
{
	return namespace_child_run(make, v, 1, ret, err);
}
