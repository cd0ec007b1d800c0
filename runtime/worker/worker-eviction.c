/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file is sparse: what is zero is not written. Bytes go through a buffer, since a mapping of a
 * file on a full disk would end the process, and a driver reads no file.
 */
#define _GNU_SOURCE
#include "runtime/worker/worker-eviction.h"

#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/record.h"
#include "common/base/whole-io.h"
#include "common/memory/address-map.h"
#include "common/memory/file-data.h"
#include "common/protocol/ipc.h"
#include "common/protocol/worker-protocol.h"
#include "runtime/cuda/device.h"
#include "runtime/process/worker.h"

#define STEP (1 * MIB)

static struct {
	int file;
	char *step; /* STEP bytes, mapped when they are first needed */
} parked = { .file = -1 };

static char *step_buffer(struct error *err)
{
	if (!parked.step) {
		void *p = mmap(NULL, STEP, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			       0);

		parked.step = p == MAP_FAILED ? NULL : p;
	}
	if (!parked.step)
		error_errno(err, "no memory to copy device memory");
	return parked.step;
}

int worker_eviction_file(struct ipc_message *m, struct error *err)
{
	if (m->n_fds != 1)
		return error_set(err, ERROR_PROTOCOL,
				 "WORKER_EVICTION_FILE came without its descriptor");
	if (parked.file >= 0)
		close(parked.file);
	parked.file = steal_fd(&m->fds[0]);
	return 0;
}

static int copy_out(uint64_t address, uint64_t size, uint64_t place, struct error *err)
{
	char *bytes = step_buffer(err);

	if (!bytes)
		return -1;
	for (uint64_t at = 0; at < size; at += STEP) {
		size_t n = size - at < STEP ? size - at : STEP;

		if (device_read(address + at, bytes, n, err))
			return -1;
		if (!file_data_is_zero(bytes, n) &&
		    whole_pwrite(parked.file, bytes, n, place + at) < n)
			return error_errno(err, "cannot write %llu MB",
					   (unsigned long long)(size / MIB));
	}
	return 0;
}

struct source {
	uint64_t size, place;
};

static int copy_in(void *data, uint64_t address, struct error *err)
{
	const struct source *from = data;
	char *bytes = step_buffer(err);

	if (!bytes)
		return -1;
	for (uint64_t at = 0; at < from->size; at += STEP) {
		size_t n = from->size - at < STEP ? from->size - at : STEP;

		if (whole_pread(parked.file, bytes, n, from->place + at) < n)
			return error_errno(err, "cannot read what was parked");
		if (file_data_is_zero(bytes, n) ? device_clear(address + at, n, err)
						: device_write(address + at, bytes, n, err))
			return -1;
	}
	return 0;
}

struct piece {
	uint64_t id, chunk_size, address, first, size, place;
};

static int park(const struct piece *p, struct ipc_message *m, struct error *err)
{
	uint64_t address = p->address;
	bool opened = !address;
	int failed;

	if (opened && m->n_fds != 1)
		return error_set(err, ERROR_PROTOCOL, "WORKER_EVICT came without its descriptor");
	if (opened && device_open_chunk(p->id, p->chunk_size, steal_fd(&m->fds[0]), &address, err))
		return -1;
	failed = copy_out(address + p->first, p->size, p->place, err);
	if (opened)
		device_close_chunk(p->id);
	return failed;
}

int worker_evict(struct ipc_message *m, struct error *err)
{
	cleanup_buffer struct buffer out = BUFFER_INIT;
	struct record r = record_open(m->data, m->len);
	struct error problem = ERROR_INIT;
	uint32_t number = record_u32(&r);
	struct piece p;
	int failed;

	p.id = record_u64(&r);
	p.chunk_size = record_u64(&r);
	p.address = record_u64(&r);
	p.first = record_u64(&r);
	p.size = record_u64(&r);
	p.place = record_u64(&r);
	if (record_check(&r, "WORKER_EVICT", err))
		return -1;
	failed = park(&p, m, &problem);
	record_put_u32(&out, number);
	record_put_u8(&out, !failed);
	record_put_str(&out, failed ? problem.text : "");
	if (buffer_check(&out, err))
		return -1;
	return worker_send(WORKER_EVICTED, out.data, out.len, -1, err);
}

int worker_eviction_return(const struct ipc_message *m, struct error *err)
{
	struct record r = record_open(m->data, m->len);
	uint64_t id = record_u64(&r), size = record_u64(&r), address = record_u64(&r);
	struct source from = { size, record_u64(&r) };

	if (record_check(&r, "WORKER_CHUNK_PARKED", err))
		return -1;
	return device_attach_parked(id, size, address, copy_in, &from, err);
}
