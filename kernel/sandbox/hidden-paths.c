/* SPDX-License-Identifier: Apache-2.0 */
/* Linux tells the path of an open descriptor by a link in /proc, wherever the file is by then. */
#define _GNU_SOURCE
#include "kernel/sandbox/hidden-paths.h"

#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/array.h"
#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/path.h"
#include "common/base/record.h"
#include "common/sandbox/hidden-path.h"

static int hold(const char *path)
{
	return open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
}

static void entry_release(struct hidden_paths_entry *e)
{
	free(e->path);
	if (e->fd >= 0)
		close(e->fd);
}

void hidden_paths_release(struct hidden_paths *h)
{
	for (size_t i = 0; i < h->n; i++)
		entry_release(&h->at[i]);
	free(h->at);
	*h = (struct hidden_paths){ .n = 0 };
}

/* real: without links. */
static bool has(const struct hidden_paths *h, const char *real)
{
	for (size_t i = 0; i < h->n; i++)
		if (path_lies_in(real, h->at[i].path))
			return true;
	return false;
}

bool hidden_paths_has(const struct hidden_paths *h, const char *path)
{
	cleanup_free char *real = realpath(path, NULL);

	return has(h, real ? real : path);
}

static void drop_what_lies_in(struct hidden_paths *h, const char *folder)
{
	size_t n = 0;

	for (size_t i = 0; i < h->n; i++)
		if (path_lies_in(h->at[i].path, folder))
			entry_release(&h->at[i]);
		else
			h->at[n++] = h->at[i];
	h->n = n;
}

bool hidden_paths_add(struct hidden_paths *h, const char *path)
{
	char *real = realpath(path, NULL);

	if (!real)
		real = strdup(path);
	if (!real || !ARRAY_ROOM(h->at, h->n, &h->cap)) {
		h->no_memory = true;
		free(real);
		return false;
	}
	if (has(h, real)) {
		free(real);
		return false;
	}
	drop_what_lies_in(h, real);
	h->at[h->n++] = (struct hidden_paths_entry){ .path = real, .fd = hold(real) };
	return true;
}

/* Finds out where it is and what it is. One that was removed may have a successor. */
static bool look(struct hidden_paths_entry *e, char path[static PATH_MAX], struct stat *st)
{
	char link[40];
	ssize_t len;

	if (e->fd >= 0 && (fstat(e->fd, st) || !st->st_nlink)) {
		close(e->fd);
		e->fd = -1;
	}
	if (e->fd < 0)
		e->fd = hold(e->path);
	if (e->fd < 0 || fstat(e->fd, st))
		return false;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", e->fd);
	len = readlink(link, path, PATH_MAX - 1);
	path[len > 0 ? len : 0] = '\0';
	return true;
}

bool hidden_paths_put_at(struct hidden_paths *h, size_t index, struct buffer *out)
{
	char path[PATH_MAX];
	struct stat st;

	if (!look(&h->at[index], path, &st))
		return false;
	hidden_path_put(out, &(struct hidden_path){ path, st.st_dev, st.st_ino });
	return true;
}

void hidden_paths_put(struct hidden_paths *h, struct buffer *out)
{
	cleanup_buffer struct buffer list = BUFFER_INIT;
	uint32_t n = 0;

	for (size_t i = 0; i < h->n; i++)
		n += hidden_paths_put_at(h, i, &list);
	record_put_u32(out, n);
	buffer_append(out, list.data, list.len);
	out->failed |= list.failed || h->no_memory;
}

void hidden_paths_put_one(struct hidden_paths *h, struct buffer *out)
{
	if (!h->n || !hidden_paths_put_at(h, 0, out))
		hidden_path_put(out, &(struct hidden_path){ .path = "" });
	out->failed |= h->no_memory;
}
