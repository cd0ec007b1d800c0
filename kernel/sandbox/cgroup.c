/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The group is made below the kernel's own group: in the version 2 tree if that can delegate the
 * pids controller, else in the version 1 tree of the pids controller. See
 * Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/pids.rst of Linux.
 */
#define _GNU_SOURCE
#include "kernel/sandbox/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/cleanup.h"
#include "common/base/error.h"

static int write_file(const char *dir, const char *name, const char *text)
{
	char path[640];
	cleanup_fd int fd = -1;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		return -1;
	return 0;
}

static bool has_file(const char *dir, const char *name)
{
	char path[640];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return access(path, F_OK) == 0;
}

/* Finds the path of this process in the hierarchy of a controller, "" for version 2; lines are
 * "4:memory:/a/b". */
static bool path_in(const char *self, const char *controller, char *ret, size_t size)
{
	cleanup_file FILE *f = fopen(self, "re");
	char line[512];

	while (f && fgets(line, sizeof(line), f)) {
		char *names = strchr(line, ':');
		char *path = names ? strchr(names + 1, ':') : NULL;

		if (!path)
			continue;
		*path++ = '\0';
		path[strcspn(path, "\n")] = '\0';
		if (strcmp(names + 1, controller))
			continue;
		snprintf(ret, size, "%s", strcmp(path, "/") ? path : "");
		return true;
	}
	return false;
}

static bool own_path(const char *controller, char *ret, size_t size)
{
	return path_in("/proc/self/cgroup", controller, ret, size);
}

/* Removes groups of kernels that were killed, which are empty; the removal of others fails. */
static void remove_old(const char *parent)
{
	cleanup_dir DIR *d = opendir(parent);
	struct dirent *e;
	char path[1024];
	int pid;

	while (d && (e = readdir(d))) {
		if (sscanf(e->d_name, "cgpu-%d", &pid) != 1 || kill(pid, 0) == 0 || errno != ESRCH)
			continue;
		snprintf(path, sizeof(path), "%s/%s", parent, e->d_name);
		rmdir(path);
	}
}

static int make_in(struct cgroup *c, const char *parent, unsigned tasks, struct error *err)
{
	char path[sizeof(c->path)], text[32];

	remove_old(parent);
	if (snprintf(path, sizeof(path), "%s/cgpu-%d", parent, (int)getpid()) >= (int)sizeof(path))
		return error_set(err, ERROR_UNSUPPORTED,
				 "the path of the control group is too long");
	if (mkdir(path, 0755) && errno != EEXIST) {
		error_errno(err, "cannot make the control group %s", path);
		err->code = ERROR_UNSUPPORTED;
		return -1;
	}
	snprintf(text, sizeof(text), "%u", tasks);
	if (!has_file(path, "pids.max") || write_file(path, "pids.max", text)) {
		rmdir(path);
		return error_set(err, ERROR_UNSUPPORTED, "%s does not hand on the pids controller",
				 parent);
	}
	snprintf(c->path, sizeof(c->path), "%s", path);
	return 0;
}

int cgroup_init(struct cgroup *c, unsigned tasks, struct error *err)
{
	static const char *const roots[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };
	char own[256], parent[400];

	*c = (struct cgroup){ .unified = true };
	for (int i = 0; i < 2 && own_path("", own, sizeof(own)); i++) {
		if (!has_file(roots[i], "cgroup.procs"))
			continue;
		snprintf(parent, sizeof(parent), "%s%s", roots[i], own);
		if (!make_in(c, parent, tasks, err))
			return 0;
	}
	c->unified = false;
	if (own_path("pids", own, sizeof(own))) {
		snprintf(parent, sizeof(parent), "/sys/fs/cgroup/pids%s", own);
		return make_in(c, parent, tasks, err);
	}
	if (!own_path("", own, sizeof(own)))
		return error_set(err, ERROR_UNSUPPORTED, "this Linux has no control groups");
	return -1;
}

void cgroup_release(struct cgroup *c)
{
	if (*c->path)
		rmdir(c->path);
	*c->path = '\0';
}

int cgroup_add(const struct cgroup *c, pid_t pid, struct error *err)
{
	char text[32];

	snprintf(text, sizeof(text), "%d", (int)pid);
	if (*c->path && write_file(c->path, "cgroup.procs", text))
		return error_errno(err, "cannot put process %d into %s", (int)pid, c->path);
	return 0;
}

uint64_t cgroup_refusals(const struct cgroup *c)
{
	char path[640];
	cleanup_file FILE *f = NULL;
	uint64_t n = 0;

	if (!*c->path)
		return 0;
	snprintf(path, sizeof(path), "%s/pids.events", c->path);
	f = fopen(path, "re");
	if (!f || fscanf(f, "max %" SCNu64, &n) != 1)
		return 0;
	return n;
}

int cgroup_bound_memory(const struct cgroup *c, uint64_t bytes, struct error *err)
{
	char text[32] = "max";

	if (!c->unified || !*c->path || !has_file(c->path, "memory.max"))
		return 0;
	if (bytes)
		snprintf(text, sizeof(text), "%" PRIu64, bytes);
	if (write_file(c->path, "memory.max", text))
		return error_errno(err, "cannot bound the memory of %s", c->path);
	return 0;
}

/* Returns the smallest limit from the folder `base` + `path` up to `base`; a path that is not
 * mounted here counts as `base`. */
static uint64_t smallest(const char *base, const char *path, const char *file)
{
	uint64_t least = UINT64_MAX;
	size_t base_len = strlen(base);
	char at[1024];

	if (snprintf(at, sizeof(at), "%s%s", base, path) >= (int)sizeof(at))
		return least;
	for (;;) {
		char name[1100];
		cleanup_file FILE *f = NULL;
		uint64_t value;
		char *slash;

		snprintf(name, sizeof(name), "%s/%s", at, file);
		f = fopen(name, "re");
		if (f && fscanf(f, "%" SCNu64, &value) == 1 && value && value < least)
			least = value;
		slash = strrchr(at, '/');
		if (!slash || strlen(at) <= base_len)
			return least;
		*slash = '\0';
	}
}

uint64_t cgroup_memory_limit(const char *self, const char *root)
{
	uint64_t least = UINT64_MAX, limit;
	char path[256], base[512];

	if (path_in(self, "", path, sizeof(path))) {
		least = smallest(root, path, "memory.max");
		snprintf(base, sizeof(base), "%s/unified", root);
		limit = smallest(base, path, "memory.max");
		least = limit < least ? limit : least;
	}
	if (path_in(self, "memory", path, sizeof(path))) {
		snprintf(base, sizeof(base), "%s/memory", root);
		limit = smallest(base, path, "memory.limit_in_bytes");
		least = limit < least ? limit : least;
	}
	return least;
}
