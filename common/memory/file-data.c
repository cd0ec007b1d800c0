/* SPDX-License-Identifier: Apache-2.0 */
/* Pages that were swapped out are data, which mincore(2) would not tell from holes. */
#define _GNU_SOURCE
#include "common/memory/file-data.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "common/base/error.h"

int file_data_next(int fd, uint64_t at, uint64_t end, uint64_t *ret_start, uint64_t *ret_end,
		   struct error *err)
{
	off_t data = at < end ? lseek(fd, (off_t)at, SEEK_DATA) : (off_t)end, hole;

	if (data < 0 && errno == ENXIO)
		return 0;
	if (data >= (off_t)end)
		return 0;
	hole = data < 0 ? -1 : lseek(fd, data, SEEK_HOLE);
	if (hole < 0)
		return error_errno(err, "cannot look for the pages of a file of memory");
	*ret_start = (uint64_t)data;
	*ret_end = (uint64_t)hole < end ? (uint64_t)hole : end;
	return 1;
}

bool file_data_is_zero(const char *bytes, size_t len)
{
	return !bytes[0] && !memcmp(bytes, bytes + 1, len - 1);
}
