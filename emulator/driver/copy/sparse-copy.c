/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Device memory is a memfd, and a page of it that nobody has touched is a hole, which reads as
 * zeros. Reading it through a mapping would make it a page. So the file is asked where its data is,
 * and what is a hole in the source becomes one in the target (fallocate(2)).
 */
#define _GNU_SOURCE
#include "emulator/driver/copy/sparse-copy.h"

#include <fcntl.h>
#include <string.h>

#include "common/memory/file-data.h"
#include "emulator/driver/device/memory.h"

#define SPARSE_MIN (1u << 20) /* below, asking takes longer than copying */
#define PAGE 4096u

/* A range of one memfd; fd -1: of host memory. */
struct place {
	int fd;
	uint64_t offset;
	char *bytes;
};

/* Finds the allocation that has all of the range; false: none has. */
static bool find_place(uint64_t address, void *bytes, size_t size, struct place *ret)
{
	struct mapping m;

	if (!memory_find_mapping(address, &m) || !m.allocation || m.allocation->fd < 0 ||
	    size > m.size - (address - m.address))
		return false;
	*ret = (struct place){ m.allocation->fd, address - m.address, bytes };
	return true;
}

static void clear(const struct place *p, uint64_t begin, uint64_t end)
{
	uint64_t first = (p->offset + begin + PAGE - 1) / PAGE * PAGE,
		 last = (p->offset + end) / PAGE * PAGE;

	if (p->fd < 0 || first >= last ||
	    fallocate(p->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)first,
		      (off_t)(last - first))) {
		memset(p->bytes + begin, 0, end - begin);
		return;
	}
	memset(p->bytes + begin, 0, first - (p->offset + begin));
	memset(p->bytes + (last - p->offset), 0, p->offset + end - last);
}

/* Finds the data from `at` on; where the system cannot tell, all is data. */
static void find_data(const struct place *p, uint64_t at, size_t size, uint64_t *data,
		      uint64_t *hole)
{
	int found = file_data_next(p->fd, p->offset + at, p->offset + size, data, hole, NULL);

	*data = found > 0 ? *data - p->offset : found ? at : size;
	*hole = found > 0 ? *hole - p->offset : size;
}

bool sparse_copy(uint64_t dst, void *to, uint64_t src, const void *from, size_t size)
{
	struct place source, target = { .fd = -1, .bytes = to };

	if (size < SPARSE_MIN || !memory_is_device(src) ||
	    !find_place(src, (void *)(uintptr_t)from, size, &source))
		return false;
	if (memory_is_device(dst) &&
	    (!find_place(dst, to, size, &target) || target.fd == source.fd))
		return false;
	for (uint64_t at = 0, data, hole; at < size; at = hole) {
		find_data(&source, at, size, &data, &hole);
		if (at < data)
			clear(&target, at, data);
		memcpy(target.bytes + data, source.bytes + data, hole - data);
	}
	return true;
}

bool sparse_clear(uint64_t dst, void *to, size_t size)
{
	struct place target;

	if (size < SPARSE_MIN || !memory_is_device(dst) || !find_place(dst, to, size, &target))
		return false;
	clear(&target, 0, size);
	return true;
}
