/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Most cells print little, so text waits in memory, and a file is made for what is more than any
 * usual limit shows, or at the end of a cell when something is left out. Cells may do anything to
 * the folder: it is opened anew for each file, a file is made where none is, and written by its
 * descriptor.
 */
#define _GNU_SOURCE
#include "kernel/show/flood-files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/array.h"
#include "common/base/cleanup.h"
#include "common/base/whole-io.h"
#include "kernel/settings/size-text.h"

/* Cells without a number may share one, and cells may have put something there. */
#define NAMES_MAX 100

void flood_files_init(struct flood_files *f, const char *folder, uint64_t most)
{
	*f = (struct flood_files){ .folder = folder, .most = most, .fd = -1 };
}

static void close_file(struct flood_files *f)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
}

void flood_files_release(struct flood_files *f)
{
	close_file(f);
	buffer_release(&f->waits);
	free(f->files);
	f->files = NULL;
	f->n = f->cap = 0;
}

static int open_folder(const struct flood_files *f, struct error *err)
{
	struct stat st;
	int fd;

	if (mkdir(f->folder, 0700) && errno != EEXIST)
		return error_errno(err, "cannot make %s", f->folder);
	fd = open(f->folder, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st)) {
		error_errno(err, "cannot open %s", f->folder);
	} else if (st.st_uid != geteuid()) {
		error_set(err, ERROR_SYSTEM, "%s is another user's", f->folder);
	} else {
		return fd;
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

static void name_file(uint32_t cell, int again, struct flood_file *ret)
{
	char number[16] = "", more[16] = "";

	if (cell)
		snprintf(number, sizeof(number), "%u", cell);
	if (again)
		snprintf(more, sizeof(more), "-%d", again + 1);
	snprintf(ret->name, sizeof(ret->name), "In%s%s.txt", number, more);
}

/* Makes the file of the cell at work, the last of the list. */
static int make_file(struct flood_files *f, struct error *err)
{
	cleanup_fd int folder = open_folder(f, err);
	struct flood_file *file;

	if (folder < 0)
		return -1;
	if (!ARRAY_ROOM(f->files, f->n, &f->cap))
		return error_set(err, ERROR_MEMORY, "the kernel process is out of memory");
	file = &f->files[f->n];
	file->size = 0;
	for (int i = 0; i < NAMES_MAX; i++) {
		name_file(f->cell, i, file);
		f->fd = openat(folder, file->name,
			       O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (f->fd >= 0 || errno != EEXIST)
			break;
	}
	if (f->fd < 0)
		return error_errno(err, "cannot make %s/%s", f->folder, file->name);
	f->n++;
	return 0;
}

static void remove_file(struct flood_files *f, size_t index)
{
	cleanup_fd int folder = open_folder(f, NULL);

	if (folder >= 0)
		unlinkat(folder, f->files[index].name, 0);
	f->size -= f->files[index].size;
	f->n--;
	for (size_t i = index; i < f->n; i++)
		f->files[i] = f->files[i + 1];
}

/* Writes what waits, as far as there is room. */
static int write_waiting(struct flood_files *f, struct error *err)
{
	size_t len = f->waits.len, n;
	struct flood_file *file;

	while (f->n > 1 && f->size + len > f->most)
		remove_file(f, 0);
	if (f->size + len > f->most) {
		len = f->most - f->size;
		f->is_cut = true;
	}
	file = &f->files[f->n - 1];
	n = whole_pwrite(f->fd, buffer_text(&f->waits), len, file->size);
	file->size += n;
	f->size += n;
	if (n < len)
		return error_errno(err, "cannot write %s/%s", f->folder, file->name);
	if (f->waits.failed)
		return error_set(err, ERROR_MEMORY, "the kernel process is out of memory");
	buffer_clear(&f->waits);
	return 0;
}

/* Closes the file, and removes it: what it has is of no use. */
static void drop_file(struct flood_files *f)
{
	if (f->fd >= 0)
		remove_file(f, f->n - 1);
	close_file(f);
	buffer_release(&f->waits);
}

static void store(struct flood_files *f)
{
	if ((f->fd < 0 && make_file(f, &f->err)) || write_waiting(f, &f->err))
		drop_file(f);
}

void flood_files_begin(struct flood_files *f, uint32_t cell, uint64_t shown)
{
	char text[SIZE_TEXT_MAX];

	drop_file(f);
	f->cell = cell;
	f->is_cut = false;
	f->err = (struct error)ERROR_INIT;
	if (f->most && shown >= f->most)
		error_set(&f->err, ERROR_LIMIT,
			  "CGPU_OUTPUT_FILES allows %s, no more than a cell shows",
			  size_text(f->most, text));
}

void flood_files_add(struct flood_files *f, const char *bytes, size_t len)
{
	if (!f->most || f->err.code || f->is_cut)
		return;
	buffer_append(&f->waits, bytes, len);
	if (f->waits.len >= FLOOD_FILES_WAIT)
		store(f);
}

void flood_files_end(struct flood_files *f, bool is_flood, struct buffer *ret)
{
	char text[SIZE_TEXT_MAX];
	const struct flood_file *file;

	if (!is_flood || !f->most) {
		drop_file(f);
		return;
	}
	if (!f->err.code && !f->is_cut)
		store(f);
	if (f->err.code) {
		buffer_printf(ret, "no file has it: %s", f->err.text);
		return;
	}
	file = &f->files[f->n - 1];
	if (f->is_cut)
		buffer_printf(ret, "the first %s of all output are in %s/%s",
			      size_text(file->size, text), f->folder, file->name);
	else
		buffer_printf(ret, "all output is in %s/%s", f->folder, file->name);
	close_file(f);
	buffer_release(&f->waits);
}
