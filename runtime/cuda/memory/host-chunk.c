/* SPDX-License-Identifier: Apache-2.0 */
/* Ids are those of the chunks of a device with CHUNK_ON_HOST set, counted by themselves. */
#define _GNU_SOURCE
#include "runtime/cuda/memory/host-chunk.h"

#include <sys/mman.h>
#include <unistd.h>

#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/protocol/worker-protocol.h"
#include "runtime/cuda/driver/device-state.h"
#include "runtime/cuda/memory/chunk-message.h"

static int map(struct host_chunk *c, int fd, struct error *err)
{
	void *p = mmap(NULL, c->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (p == MAP_FAILED)
		return error_errno(err, "no memory for the old content of %llu bytes",
				   (unsigned long long)c->size);
	c->bytes = p;
	return 0;
}

int host_chunk_init(struct host_chunk *c, int ordinal, uint64_t size, struct error *err)
{
	cleanup_fd int fd = memfd_create("cgpu-pre-images", MFD_CLOEXEC);
	uint32_t n = atomic_fetch_add(&device.host_chunks, 1);

	*c = (struct host_chunk){ .id = CHUNK_ID(device.epoch, ordinal, CHUNK_ON_HOST | n),
				  .size = size };
	if (n >= CHUNK_ON_HOST)
		return error_set(
			err, ERROR_LIMIT,
			"this worker has made all the chunks for old content that it can number");
	if (fd < 0 || ftruncate(fd, (off_t)size))
		return error_errno(err, "no memory for the old content of %llu bytes",
				   (unsigned long long)size);
	if (map(c, fd, err))
		return -1;
	if (!chunk_message_made(c->id, c->size, 0, fd, err))
		return 0;
	host_chunk_release(c);
	return -1;
}

int host_chunk_open(struct host_chunk *c, uint64_t id, uint64_t size, int fd, struct error *err)
{
	int rc;

	*c = (struct host_chunk){ .id = id, .size = size };
	rc = map(c, fd, err);
	close(fd);
	return rc;
}

void host_chunk_release(struct host_chunk *c)
{
	if (c->bytes)
		munmap(c->bytes, c->size);
	*c = (struct host_chunk){ 0 };
}
