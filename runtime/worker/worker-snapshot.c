/* SPDX-License-Identifier: Apache-2.0 */
/* Device memory travels in memfds, a piece each. */
#define _GNU_SOURCE
#include "runtime/worker/worker-snapshot.h"

#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/record.h"
#include "common/memory/file-data.h"
#include "common/protocol/ipc.h"
#include "common/protocol/worker-protocol.h"
#include "runtime/cuda/device.h"
#include "runtime/process/worker.h"
#include "runtime/worker/session-layout.h"

#define BUILD_ID_MAX 64

struct list {
	struct buffer items;
	uint32_t n;
};

/* Hexadecimal; "" when there is none. */
static void find_build_id(const struct dl_phdr_info *info, char ret[2 * BUILD_ID_MAX + 1])
{
	ret[0] = '\0';
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		const char *at = (const char *)(info->dlpi_addr + p->p_vaddr),
			   *end = at + p->p_memsz;

		while (p->p_type == PT_NOTE && end - at >= (ptrdiff_t)sizeof(ElfW(Nhdr))) {
			const ElfW(Nhdr) *n = (const void *)at;
			const unsigned char *id =
				(const unsigned char *)(n + 1) + (n->n_namesz + 3u) / 4 * 4;

			if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 &&
			    !memcmp(n + 1, "GNU", 4))
				for (unsigned k = 0; k < n->n_descsz && k < BUILD_ID_MAX; k++)
					snprintf(ret + 2 * k, 3, "%02x", id[k]);
			at = (const char *)id + (n->n_descsz + 3u) / 4 * 4;
		}
	}
}

/* NVIDIA's driver loads its parts when it needs them; nothing of a session points there. */
static bool is_part_of_driver(const char *path)
{
	const char *slash = strrchr(path, '/');

	return !strncmp(slash ? slash + 1 : path, "libnvidia-", strlen("libnvidia-"));
}

static int note_library(struct dl_phdr_info *info, size_t size, void *data)
{
	struct list *l = data;
	char id[2 * BUILD_ID_MAX + 1];
	uint64_t start = UINT64_MAX, end = 0;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t from = info->dlpi_addr + p->p_vaddr;

		if (p->p_type != PT_LOAD)
			continue;
		start = from < start ? from : start;
		end = from + p->p_memsz > end ? from + p->p_memsz : end;
	}
	if (start >= end || is_part_of_driver(info->dlpi_name))
		return 0;
	find_build_id(info, id);
	record_put_str(&l->items, info->dlpi_name[0] ? info->dlpi_name : "cgpu-worker");
	record_put_str(&l->items, id);
	record_put_u64(&l->items, start);
	record_put_u64(&l->items, end);
	l->n++;
	return 0;
}

int worker_snapshot_libraries(const struct ipc_message *m, struct error *err)
{
	cleanup_buffer struct buffer out = BUFFER_INIT;
	struct record r = record_open(m->data, m->len);
	struct list l = { BUFFER_INIT, 0 };
	int result;

	record_put_u32(&out, record_u32(&r));
	record_put_u64(&out, session_layout());
	dl_iterate_phdr(note_library, &l);
	record_put_u32(&out, l.n);
	buffer_append(&out, l.items.data, l.items.len);
	result = buffer_check(&l.items, err);
	buffer_release(&l.items);
	if (result || record_check(&r, "WORKER_LIBRARIES", err) || buffer_check(&out, err))
		return -1;
	return worker_send(WORKER_LIBRARIES_ARE, out.data, out.len, -1, err);
}

static int copy_out(uint64_t address, uint64_t size, int fd, struct error *err)
{
	void *bytes;
	int result;

	if (fd < 0 || ftruncate(fd, (off_t)size))
		return error_errno(err, "no memory for a copy of device memory");
	bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (bytes == MAP_FAILED)
		return error_errno(err, "no memory for a copy of device memory");
	result = device_read(address, bytes, size, err);
	munmap(bytes, size);
	return result;
}

int worker_snapshot_read(const struct ipc_message *m, struct error *err)
{
	cleanup_buffer struct buffer out = BUFFER_INIT;
	cleanup_fd int fd = memfd_create("cgpu-device-copy", MFD_CLOEXEC);
	struct record r = record_open(m->data, m->len);
	uint64_t address = record_u64(&r), size = record_u64(&r);
	struct error problem = ERROR_INIT;
	int failed;

	if (record_check(&r, "WORKER_DEVICE_READ", err))
		return -1;
	failed = copy_out(address, size, fd, &problem);
	record_put_u64(&out, address);
	record_put_u8(&out, !failed);
	record_put_str(&out, failed ? problem.text : "");
	if (buffer_check(&out, err))
		return -1;
	return worker_send(WORKER_DEVICE_BYTES, out.data, out.len, failed ? -1 : fd, err);
}

static int write_from_file(uint64_t address, uint64_t size, int fd, uint64_t offset,
			   struct error *err)
{
	void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, (off_t)offset);
	int result;

	if (bytes == MAP_FAILED)
		return error_errno(err, "cannot map the content of device memory");
	result = device_write(address, bytes, size, err);
	munmap(bytes, size);
	return result;
}

/* Fills device memory from a file of memory, whose holes are zeros. */
static int copy_in(uint64_t address, uint64_t size, int fd, uint64_t offset, struct error *err)
{
	if (device_is_usable() && !device_has(address))
		return error_set(err, ERROR_MEMORY,
				 "the device has no room for its memory beside that of this "
				 "session, which stays for %%undo: load it in a new one, after a "
				 "restart of the kernel");
	for (uint64_t at = offset, end = offset + size, data, hole; at < end; at = hole) {
		int found = file_data_next(fd, at, end, &data, &hole, err);

		if (found < 0)
			return -1;
		if (!found)
			data = hole = end;
		if (at < data && device_clear(address + (at - offset), data - at, err))
			return -1;
		if (data < hole &&
		    write_from_file(address + (data - offset), hole - data, fd, data, err))
			return -1;
	}
	return 0;
}

int worker_snapshot_fill(const struct ipc_message *m, struct error *err)
{
	cleanup_buffer struct buffer out = BUFFER_INIT;
	struct record r = record_open(m->data, m->len);
	uint64_t address = record_u64(&r), size = record_u64(&r), offset = record_u64(&r);
	struct error problem = ERROR_INIT;
	int failed;

	if (record_check(&r, "WORKER_DEVICE_FILL", err))
		return -1;
	if (m->n_fds != 1)
		return error_set(err, ERROR_PROTOCOL,
				 "WORKER_DEVICE_FILL came without its descriptor");
	failed = copy_in(address, size, m->fds[0], offset, &problem);
	record_put_u64(&out, address);
	record_put_u8(&out, !failed);
	record_put_str(&out, failed ? problem.text : "");
	if (buffer_check(&out, err))
		return -1;
	return worker_send(WORKER_DEVICE_FILLED, out.data, out.len, -1, err);
}
