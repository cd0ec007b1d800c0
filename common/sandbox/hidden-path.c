/* SPDX-License-Identifier: Apache-2.0 */
/* A descriptor of the file is the answer: what is done by it is done to that file, whatever its
 * path leads to by then. */
#define _GNU_SOURCE
#include "common/sandbox/hidden-path.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/record.h"

void hidden_path_put(struct buffer *out, const struct hidden_path *h)
{
	record_put_str(out, h->path);
	record_put_u64(out, h->device);
	record_put_u64(out, h->inode);
}

struct hidden_path hidden_path_read(struct record *r)
{
	struct hidden_path h;

	h.path = record_str(r);
	h.device = record_u64(r);
	h.inode = record_u64(r);
	return h;
}

int hidden_path_open(const struct hidden_path *h, struct error *err)
{
	cleanup_fd int fd = open(h->path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || st.st_dev != h->device || st.st_ino != h->inode)
		return error_set(err, ERROR_STATE,
				 "%s, which is hidden from cells, was moved just then", h->path);
	return steal_fd(&fd);
}
