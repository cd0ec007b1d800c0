/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The channel is the descriptor WORKER_CHANNEL_FD, the same in every worker. Text at an address
 * that may be anything is read by a system call, which fails where a load would fault.
 */
#define _GNU_SOURCE
#include "runtime/process/worker.h"

#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include <wchar.h>

#include "common/memory/address-map.h"
#include "common/protocol/ipc.h"

struct worker_process worker;

int worker_send(uint32_t type, const void *data, size_t len, int fd, struct error *err)
{
	return ipc_send(WORKER_CHANNEL_FD, type, data, len, fd >= 0 ? &fd : NULL, fd >= 0, err);
}

int worker_receive(struct ipc_message *ret, int timeout_ms, struct error *err)
{
	return ipc_receive(WORKER_CHANNEL_FD, timeout_ms, ret, err);
}

struct fault_record *worker_clear_fault(void)
{
	struct fault_record *f = &worker.control->fault;

	atomic_store(&f->kind, FAULT_NONE);
	memset((char *)f + sizeof(f->kind), 0, sizeof(*f) - sizeof(f->kind));
	return f;
}

void worker_exit(int status)
{
	for (;;)
		syscall(SYS_exit_group, status);
}

/* Whole characters before the first zero one; *ret_end: there is a zero one. */
static size_t characters_in(const char *bytes, size_t len, size_t unit, bool *ret_end)
{
	static const char zero[sizeof(wchar_t)];
	size_t n = 0;

	while (n + unit <= len && memcmp(bytes + n, zero, unit) != 0)
		n += unit;
	*ret_end = n + unit <= len;
	return n;
}

ssize_t worker_read_characters(const void *from, size_t unit, void *ret, size_t len)
{
	const char *at = from;
	size_t have = 0, known = 0;
	bool end = false;

	while (have < len && !end) {
		/* Up to the end of the page: what follows may not be there. */
		size_t part = ARENA_PAGE - (uintptr_t)(at + have) % ARENA_PAGE;
		struct iovec local = { (char *)ret + have, part < len - have ? part : len - have };
		struct iovec remote = { (void *)(at + have), local.iov_len };
		ssize_t n = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);

		if (n <= 0)
			break;
		have += (size_t)n;
		known += characters_in((const char *)ret + known, have - known, unit, &end);
	}
	return have ? (ssize_t)known : -1;
}
