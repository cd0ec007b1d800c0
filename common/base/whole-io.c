/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each function is a loop around the system call that advances by what it has moved and starts
 * again after EINTR. A count of zero, for which the system sets no errno, gets one here (ENODATA,
 * ENOSPC), so that after every short result errno tells why. The file's own position is neither
 * used nor changed.
 */
#include "common/base/whole-io.h"

#include <errno.h>
#include <unistd.h>

size_t whole_pread(int fd, void *to, size_t len, uint64_t at)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = pread(fd, (char *)to + done, len - done, (off_t)(at + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			errno = n ? errno : ENODATA;
			break;
		}
		done += (size_t)n;
	}
	return done;
}

size_t whole_pwrite(int fd, const void *from, size_t len, uint64_t at)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = pwrite(fd, (const char *)from + done, len - done, (off_t)(at + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			errno = n ? errno : ENOSPC;
			break;
		}
		done += (size_t)n;
	}
	return done;
}
