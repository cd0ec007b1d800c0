/* SPDX-License-Identifier: Apache-2.0 */
/* See device-host.h. The session memory is one region with a bump allocator, so committing is
 * writing it to the memfd. */
#define _GNU_SOURCE
#include "tests/unit/runtime/device-host.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/error.h"
#include "common/base/record.h"
#include "common/protocol/ipc.h"

#define SESSION_BASE ((char *)0x200000000000)
#define SESSION_SIZE (16u << 20)
#define COMMIT 1000   /* a message of the test: the sender has written the session memory */
#define ATTACHED 1001 /* of the test, too: the pre-images are back */

struct session_head {
	size_t used;
	void *root;
};

struct device_keeper keeper;
struct buffer printed;
struct device_info device_host_info;
uint32_t device_host_line;
bool device_host_may_lack_device;

static struct buffer warnings;
static struct {
	const char *name;
	void *address;
} defined[16];

static struct session_head *head(void)
{
	return (struct session_head *)SESSION_BASE;
}

static void *session_alloc(size_t size)
{
	size_t at = (head()->used + 15) / 16 * 16;

	if (at + size > SESSION_SIZE)
		return NULL;
	head()->used = at + size;
	return SESSION_BASE + at;
}

static void session_free(void *p)
{
	(void)p;
}

static void *heap_alloc(size_t size, size_t align)
{
	head()->used = (head()->used + align - 1) / align * align;
	return session_alloc(size);
}

static void print(bool to_stderr, const char *text, size_t len)
{
	(void)to_stderr;
	buffer_append(&printed, text, len);
}

static void drop_chunk(uint64_t id, bool now)
{
	for (size_t i = 0; i < keeper.n_chunks; i++) {
		if (keeper.chunks[i].id != id)
			continue;
		keeper.chunks[i].dropped = true;
		if (!now)
			return;
		close(keeper.chunks[i].fd);
		keeper.chunks[i] = keeper.chunks[--keeper.n_chunks];
		return;
	}
}

/* The kernel's side of a message. */
static void keep(uint32_t type, const void *data, size_t len, int fd)
{
	struct record r = record_open(data, len);

	switch (type) {
	case WORKER_DEVICE_CHUNK:
		keeper.chunks[keeper.n_chunks].id = record_u64(&r);
		keeper.chunks[keeper.n_chunks].size = record_u64(&r);
		keeper.chunks[keeper.n_chunks].address = record_u64(&r);
		keeper.chunks[keeper.n_chunks].fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
		keeper.chunks[keeper.n_chunks].fresh = true;
		keeper.chunks[keeper.n_chunks++].dropped = false;
		break;
	case WORKER_DEVICE_PREIMAGE:
		keeper.preimages[keeper.n_preimages].address = record_u64(&r);
		keeper.preimages[keeper.n_preimages].size = record_u64(&r);
		keeper.preimages[keeper.n_preimages].chunk = record_u64(&r);
		keeper.preimages[keeper.n_preimages++].offset = record_u64(&r);
		break;
	case WORKER_DEVICE_DROP:
		drop_chunk(record_u64(&r), false);
		break;
	case COMMIT:
		for (size_t i = keeper.n_chunks; i-- > 0;) {
			keeper.chunks[i].fresh = false;
			if (keeper.chunks[i].dropped || !keeper.chunks[i].address)
				drop_chunk(keeper.chunks[i].id, true);
		}
		keeper.n_preimages = 0;
		break;
	}
}

static int send_message(uint32_t type, const void *data, size_t len, int fd, struct error *err)
{
	if (keeper.socket >= 0)
		return ipc_send(keeper.socket, type, data, len, &fd, fd >= 0, err);
	keep(type, data, len, fd);
	return 0;
}

static uint32_t caller_line(void)
{
	return device_host_line;
}

static void *host_symbol(const char *name)
{
	for (size_t i = 0; i < 16 && defined[i].name; i++)
		if (!strcmp(defined[i].name, name))
			return defined[i].address;
	return NULL;
}

void device_host_define(const char *name, void *address)
{
	size_t i = 0;

	while (defined[i].name && strcmp(defined[i].name, name))
		i++;
	defined[i].name = name;
	defined[i].address = address;
}

static const char *name_of_pointer(uint64_t address)
{
	(void)address;
	return "";
}

static void nothing(void)
{
}

static int tables_entered;

static void enter_tables(void)
{
	tables_entered++;
}

static void leave_tables(void)
{
	tables_entered--;
}

void device_host_init(void)
{
	struct session_head empty = { .used = sizeof(empty) };

	while (keeper.n_chunks)
		close(keeper.chunks[--keeper.n_chunks].fd);
	if (keeper.session_fd > 0)
		close(keeper.session_fd);
	keeper.n_preimages = 0;
	if (!getenv("CGPU_EMULATOR"))
		setenv("CGPU_EMULATOR", "./libcgpu-emulator.so", 1);
	setenv("CGPU_DEVICE", "emulated", 1);
	keeper.session_fd = memfd_create("session", MFD_CLOEXEC);
	keeper.socket = -1;
	if (ftruncate(keeper.session_fd, SESSION_SIZE) ||
	    pwrite(keeper.session_fd, &empty, sizeof(empty), 0) != sizeof(empty))
		abort();
}

static void attach(struct error *err)
{
	cleanup_buffer struct buffer report = BUFFER_INIT;

	for (size_t i = 0; i < keeper.n_chunks; i++)
		WORKER_NEED(!device_attach_chunk(
			keeper.chunks[i].id, keeper.chunks[i].size, keeper.chunks[i].address,
			fcntl(keeper.chunks[i].fd, F_DUPFD_CLOEXEC, 0), err));
	for (size_t i = 0; i < keeper.n_preimages; i++)
		WORKER_NEED(!device_attach_preimage(
			keeper.preimages[i].address, keeper.preimages[i].size,
			keeper.preimages[i].chunk, keeper.preimages[i].offset, err));
	WORKER_NEED(!device_attach_end(&report, err));
	WORKER_NEED(!report.len);
}

void device_host_start(uint64_t limit)
{
	static struct device_host host;
	struct error err = ERROR_INIT;

	if (mmap(SESSION_BASE, SESSION_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED,
		 keeper.session_fd, 0) == MAP_FAILED)
		exit(99);
	host = (struct device_host){
		.session_alloc = session_alloc,
		.session_free = session_free,
		.session_root = &head()->root,
		.heap_alloc = heap_alloc,
		.heap_free = session_free,
		.print = print,
		.send = send_message,
		.caller_line = caller_line,
		.host_symbol = host_symbol,
		.name_of_pointer = name_of_pointer,
		.enter_device = nothing,
		.leave_device = nothing,
		.enter_tables = enter_tables,
		.leave_tables = leave_tables,
		.enter_library = nothing,
		.leave_library = nothing,
	};
	if (device_init(&host, &device_host_info, &err) ||
	    (device_host_info.problem[0] && !device_host_may_lack_device)) {
		fprintf(stderr, "%s%s\n", err.text, device_host_info.problem);
		exit(99);
	}
	if (device_attach(&(struct device_attachment){ .epoch = ++keeper.epoch, .limit = limit },
			  &err))
		exit(99);
	attach(&err);
}

void device_host_begin(uint32_t cell)
{
	device_cell_begin(cell, 0);
}

int device_host_end(struct fault_record *fault)
{
	struct error err = ERROR_INIT;

	buffer_clear(&warnings);
	if (tables_entered)
		abort();
	if (device_cell_end(&warnings, fault))
		return -1;
	if (pwrite(keeper.session_fd, SESSION_BASE, SESSION_SIZE, 0) != SESSION_SIZE)
		abort();
	send_message(COMMIT, "", 0, -1, &err);
	device_cell_committed(NULL);
	return 0;
}

void device_host_commit(void)
{
	struct fault_record fault = { 0 };

	if (device_host_end(&fault))
		device_host_fail(__FILE__, __LINE__, fault.text);
}

const char *device_host_warnings(void)
{
	return buffer_text(&warnings);
}

void device_host_die(void)
{
	kill(getpid(), SIGKILL);
	_exit(1);
}

void device_host_fail(const char *file, int line, const char *what)
{
	fprintf(stderr, "%s:%d: %s\n", file, line, what);
	_exit(1);
}

/* The failed cell's fresh chunks go, but those that hold pre-images. */
static void roll_back(void)
{
	for (size_t i = keeper.n_chunks; i-- > 0;) {
		keeper.chunks[i].dropped = false;
		if (keeper.chunks[i].fresh && keeper.chunks[i].address)
			drop_chunk(keeper.chunks[i].id, true);
	}
}

/* The next worker has put the pre-images back. */
static void restored(void)
{
	for (size_t i = keeper.n_chunks; i-- > 0;)
		if (keeper.chunks[i].fresh)
			drop_chunk(keeper.chunks[i].id, true);
	keeper.n_preimages = 0;
}

static void receive_all(int sock)
{
	struct error err = ERROR_INIT;
	struct ipc_message m;

	while (ipc_receive(sock, -1, &m, &err) == 1) {
		if (m.type == ATTACHED)
			restored();
		else
			keep(m.type, m.data, m.len, m.n_fds ? m.fds[0] : -1);
		ipc_message_release(&m);
	}
}

int device_host_worker(void (*body)(void *data), void *data)
{
	struct error err = ERROR_INIT;
	int fds[2], status;
	pid_t pid;

	if (ipc_pair(fds, &err))
		abort();
	pid = fork();
	if (!pid) {
		close(fds[0]);
		keeper.socket = fds[1];
		device_host_start(0);
		send_message(ATTACHED, "", 0, -1, &err);
		body(data);
		device_host_die();
	}
	keeper.epoch++;
	close(fds[1]);
	receive_all(fds[0]);
	close(fds[0]);
	waitpid(pid, &status, 0);
	roll_back();
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL ? 0 : 1;
}
