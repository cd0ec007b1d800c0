/* SPDX-License-Identifier: Apache-2.0 */
/* What both drivers of the fuzz targets share: the folder for files. */
#define _GNU_SOURCE
#include "tests/fuzz/fuzz.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/base/buffer.h"

static char path[64];

static int remove_one(const char *name, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)type, (void)at;
	return remove(name);
}

static void remove_folder(void)
{
	nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

int fuzz_folder(void)
{
	static int folder = -1;

	if (folder >= 0)
		return folder;
	snprintf(path, sizeof(path), "/dev/shm/cgpu-fuzz-XXXXXX");
	if (!mkdtemp(path) || atexit(remove_folder))
		abort();
	folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0)
		abort();
	return folder;
}

const char *fuzz_path(void)
{
	fuzz_folder();
	return path;
}

void fuzz_file(const char *name, const void *data, size_t size)
{
	int fd = openat(fuzz_folder(), name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size || close(fd))
		abort();
}

void fuzz_read(const char *name, struct buffer *to)
{
	FILE *f = fopen(name, "r");
	int c;

	if (!f)
		abort();
	while ((c = getc(f)) != EOF)
		buffer_putc(to, (char)c);
	fclose(f);
}
