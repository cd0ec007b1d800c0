/* SPDX-License-Identifier: Apache-2.0 */
/* See tests/unit/runtime/worker-harness.h. WORKER and CC come from the build. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/unit/runtime/arena-files.h"
#include "tests/unit/runtime/worker-harness.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/error.h"
#include "common/base/record.h"
#include "common/memory/arena-layout.h"
#include "common/protocol/ipc.h"
#include "common/protocol/memory-permit.h"
#include "common/protocol/output-ring.h"
#include "common/protocol/run-options.h"
#include "common/sandbox/hidden-path.h"
#include "config.h"

#define RUN_NUMBER 0x123456789abcdefull

#define DEADLINE_MS 180000

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void expect(int sock, uint32_t type, struct ipc_message *ret)
{
	struct error err = ERROR_INIT;
	int r = ipc_receive(sock, DEADLINE_MS, ret, &err);

	if (r <= 0)
		fail_msg("no message %u: %s", type, r ? err.text : "deadline");
	if (ret->type != type)
		fail_msg("message %u instead of %u", ret->type, type);
}

static uint32_t read_steps(struct record *r, char *ret, size_t len)
{
	uint32_t n = record_count(r, 2);
	size_t at = 0;

	ret[0] = '\0';
	for (uint32_t i = 0; i < n; i++) {
		const char *step = record_str(r), *why = record_str(r);

		if (at < len)
			at += (size_t)snprintf(ret + at, len - at, "%s: %s\n", step, why);
	}
	return n;
}

/* path: without links; "" for none. */
static void put_hidden(struct buffer *b, const char *path)
{
	struct stat st = { 0 };

	assert_int_equal(*path ? stat(path, &st) : 0, 0);
	hidden_path_put(b, &(struct hidden_path){ path, st.st_dev, st.st_ino });
}

void harness_zygote_start(struct zygote_process *z, const char *hidden, uint32_t flags)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;
	struct error err = ERROR_INIT;
	struct ipc_message m;
	struct record r;
	int fds[2];

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	assert_int_equal(ipc_pair(fds, &err), 0);
	z->pid = fork();
	if (z->pid == 0) {
		char *argv[] = { "cgpu-worker", NULL };

		personality(ADDR_NO_RANDOMIZE);
		dup2(fds[1], ZYGOTE_SOCKET_FD);
		execv(WORKER, argv);
		_exit(127);
	}
	close(fds[1]);
	z->sock = fds[0];
	z->hidden = hidden;
	record_put_u32(&b, WORKER_PROTOCOL_VERSION);
	record_put_bytes(&b, "", 0);
	record_put_u32(&b, flags);
	put_hidden(&b, hidden);
	assert_int_equal(ipc_send(z->sock, ZYGOTE_SETUP, b.data, b.len, NULL, 0, &err), 0);
	expect(z->sock, ZYGOTE_READY, &m);
	r = record_open(m.data, m.len);
	assert_int_equal(record_u32(&r), WORKER_PROTOCOL_VERSION);
	z->n_missing = read_steps(&r, z->missing, sizeof(z->missing));
	assert_int_equal(record_check(&r, "ready", &err), 0);
	ipc_message_release(&m);
}

void harness_zygote_stop(struct zygote_process *z)
{
	close(z->sock);
	assert_int_equal(waitpid(z->pid, NULL, 0), z->pid);
}

static void read_hello(struct session_process *s)
{
	struct error err = ERROR_INIT;
	struct ipc_message m;
	struct record r;
	size_t len;

	expect(s->channel, WORKER_HELLO, &m);
	r = record_open(m.data, m.len);
	assert_int_equal(record_u32(&r), WORKER_PROTOCOL_VERSION);
	record_str(&r);
	record_u8(&r);
	record_u32(&r);
	record_u32(&r);
	record_u64(&r);
	read_steps(&r, s->steps, sizeof(s->steps));
	record_str(&r);
	for (uint32_t n = record_count(&r, DEVICE_UUID_SIZE); n; n--)
		record_bytes(&r, &len);
	record_str(&r);
	record_u64(&r);
	record_u32(&r);
	record_u64(&r);
	assert_int_equal(record_check(&r, "hello", &err), 0);
	ipc_message_release(&m);
}

void harness_fork(struct session_process *s)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;
	struct error err = ERROR_INIT;
	int channel[2], out[2], errors[2], fds[WORKER_FDS];
	struct ipc_message m;
	struct record r;

	assert_int_equal(ipc_pair(channel, &err), 0);
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	assert_int_equal(pipe2(errors, O_CLOEXEC), 0);
	s->control_fd = memfd_create("control", MFD_CLOEXEC);
	assert_int_equal(ftruncate(s->control_fd, sizeof(*s->control)), 0);
	s->control = mmap(NULL, sizeof(*s->control), PROT_READ | PROT_WRITE, MAP_SHARED,
			  s->control_fd, 0);
	s->live = arena_files_new();
	memcpy(fds, (int[]){ channel[1], s->control_fd, s->arena, s->live, out[1], errors[1] },
	       sizeof(fds));
	record_put_u32(&b, 7);
	put_hidden(&b, s->zygote.hidden);
	assert_int_equal(
		ipc_send(s->zygote.sock, ZYGOTE_FORK, b.data, b.len, fds, WORKER_FDS, &err), 0);
	close(channel[1]);
	close(out[1]);
	close(errors[1]);
	s->channel = channel[0];
	s->out = out[0];
	s->err = errors[0];
	expect(s->zygote.sock, ZYGOTE_FORKED, &m);
	r = record_open(m.data, m.len);
	assert_int_equal(record_u32(&r), 7);
	s->pid = (pid_t)record_u32(&r);
	assert_true(s->pid > 0);
	ipc_message_release(&m);
	read_hello(s);
}

void harness_attach(struct session_process *s, uint64_t host_limit)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;
	struct error err = ERROR_INIT;
	struct ipc_message m;
	struct record r;
	size_t at = 0;
	bool ok;

	record_put_u64(&b, 1);
	record_put_u64(&b, host_limit);
	record_put_u64(&b, 0);
	record_put_u32(&b, 0);
	record_put_u8(&b, 0);
	record_put_u8(&b, 0);
	record_put_u8(&b, 0);
	record_put_u32(&b, 0);
	record_put_u32(&b, 0);
	record_put_u32(&b, 0);
	record_put_u32(&b, 0);
	assert_int_equal(ipc_send(s->channel, WORKER_ATTACH, b.data, b.len, NULL, 0, &err), 0);
	assert_int_equal(ipc_send(s->channel, WORKER_ATTACH_END, "", 0, NULL, 0, &err), 0);
	expect(s->channel, WORKER_ATTACHED, &m);
	r = record_open(m.data, m.len);
	ok = record_u8(&r);
	if (!ok)
		fail_msg("attach: %s", record_str(&r));
	record_str(&r);
	s->lost[0] = '\0';
	for (uint32_t n = record_count(&r, 1); n--;)
		at += (size_t)snprintf(s->lost + at, sizeof(s->lost) - at, "%s\n", record_str(&r));
	assert_int_equal(record_u8(&r), HAVE_CUDA); /* the worker has a device */
	assert_int_equal(record_u8(&r), 1); /* and has kept all that it was to keep: nothing */
	assert_int_equal(record_check(&r, "attached", &err), 0);
	ipc_message_release(&m);
}

static void close_worker(struct session_process *s)
{
	close(s->channel);
	close(s->live);
	close(s->out);
	close(s->err);
	munmap(s->control, sizeof(*s->control));
	close(s->control_fd);
	s->pid = 0;
}

void harness_kill(struct session_process *s)
{
	kill(-s->pid, SIGKILL);
	waitpid(s->pid, NULL, 0);
	close_worker(s);
}

void harness_replace(struct session_process *s)
{
	if (s->outcome == -1)
		close_worker(s);
	else
		harness_kill(s);
	harness_fork(s);
	harness_attach(s, 0);
}

void harness_start(struct session_process *s, uint32_t flags)
{
	memset(s, 0, sizeof(*s));
	harness_zygote_start(&s->zygote, "", flags);
	s->arena = arena_files_new();
	harness_fork(s);
	harness_attach(s, 0);
}

void harness_stop(struct session_process *s)
{
	if (s->pid)
		harness_kill(s);
	harness_zygote_stop(&s->zygote);
	close(s->arena);
	buffer_release(&s->text);
	buffer_release(&s->results);
}

const char *harness_compiler = HARNESS_C;
uint64_t harness_program;

void *harness_compile(const char *text, size_t *ret_len)
{
	char source[] = "/tmp/cgpu-cell-XXXXXX.c", object[64], command[1024];
	int fd = mkstemps(source, 2);
	struct buffer data = BUFFER_INIT;
	char part[65536];
	size_t n;
	FILE *f;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	snprintf(object, sizeof(object), "%s.o", source);
	snprintf(command, sizeof(command), "%s -c -o %s %s", harness_compiler, object, source);
	assert_int_equal(system(command), 0);
	f = fopen(object, "r");
	assert_non_null(f);
	while ((n = fread(part, 1, sizeof(part), f)) > 0)
		buffer_append(&data, part, n);
	fclose(f);
	unlink(source);
	unlink(object);
	*ret_len = data.len;
	return buffer_steal(&data);
}

void harness_send(struct session_process *s, uint32_t cell, const char *text,
		  const char *const *types)
{
	cleanup_buffer struct buffer encoded = BUFFER_INIT;
	cleanup_buffer struct buffer payload = BUFFER_INIT;
	struct unit_symbol symbols[16] = { 0 };
	struct error err = ERROR_INIT;
	struct unit u = { .cell = cell,
			  .cell_name = "In[?]",
			  .program = harness_program,
			  .run_symbol = "",
			  .display_type = "",
			  .display_type_code = "",
			  .warnings = "" };

	u.object = harness_compile(text, &u.object_len);
	if (strstr(text, "void run("))
		u.run_symbol = "run";
	for (; types && types[u.n_symbols * 2]; u.n_symbols++) {
		const char *type = types[u.n_symbols * 2 + 1];

		symbols[u.n_symbols] =
			(struct unit_symbol){ .name = types[u.n_symbols * 2],
					      .type = type,
					      .type_code = "",
					      .is_function = strchr(type, '(') != NULL };
	}
	u.symbols = symbols;
	unit_encode(&u, &encoded);
	record_put_u64(&payload, RUN_NUMBER);
	record_put_bytes(&payload, encoded.data, encoded.len);
	record_put_u32(&payload, 0);
	record_put_u64(&payload, 0);
	record_put_str(&payload, text);
	run_options_put(&(struct run_options){ 0 }, &payload);
	record_put_bytes(&payload, NULL, 0);
	record_put_u32(&payload, 0);
	buffer_clear(&s->text);
	buffer_clear(&s->results);
	assert_int_equal(ipc_send(s->channel, WORKER_RUN, payload.data, payload.len, NULL, 0, &err),
			 0);
	free((void *)u.object);
}

static void drain(struct session_process *s)
{
	cleanup_buffer struct buffer data = BUFFER_INIT;
	struct error err = ERROR_INIT;
	enum output_type type;
	int r;

	while ((r = output_ring_read(s->control, 1 << 20, &type, &data, &err)) > 0)
		buffer_append(type == OUTPUT_RESULT ? &s->results : &s->text, data.data, data.len);
	if (r < 0)
		fail_msg("%s", err.text);
}

static void read_loaded(struct session_process *s, const struct ipc_message *m)
{
	struct record r = record_open(m->data, m->len);
	struct error err = ERROR_INIT;

	s->n_symbols = 0;
	for (uint32_t n = record_count(&r, 17); n--;) {
		snprintf(s->symbols[s->n_symbols], 64, "%s", record_str(&r));
		s->addresses[s->n_symbols++] = record_u64(&r);
		record_u64(&r);
	}
	for (uint32_t n = record_count(&r, 12); n--;) {
		assert_true(record_u32(&r) > 0);
		assert_true(record_u64(&r) >= ARENA_BASE);
	}
	s->replaces = record_u32(&r);
	s->has_code = record_u8(&r) != 0;
	assert_int_equal(record_check(&r, "loaded", &err), 0);
}

static void read_end(struct session_process *s, const struct ipc_message *m)
{
	struct record r = record_open(m->data, m->len);
	struct error err = ERROR_INIT;

	assert_true(record_u64(&r) == RUN_NUMBER);
	s->outcome = record_u8(&r);
	record_u64(&r);
	record_u64(&r);
	for (uint32_t n = record_count(&r, 1); n--;)
		record_str(&r);
	for (int i = 0; i < 4; i++)
		record_u64(&r);
	record_u8(&r);
	record_u8(&r);
	for (uint32_t n = record_count(&r, 16); n--;) {
		record_u64(&r);
		record_u64(&r);
	}
	assert_int_equal(record_check(&r, "end", &err), 0);
}

/* Nobody else wants the device. */
static void permit(struct session_process *s, const struct ipc_message *m)
{
	struct record r = record_open(m->data, m->len);

	memory_permit_answer(&s->control->permit, record_u32(&r), true, "");
}

/* 1: the cell ended, 0: nothing yet. */
static int step(struct session_process *s, int timeout_ms)
{
	struct error err = ERROR_INIT;
	struct ipc_message m;
	int r;

	r = ipc_receive(s->channel, timeout_ms, &m, &err);
	drain(s);
	if (r == 0)
		return 0;
	if (r < 0) {
		s->outcome = -1;
		assert_int_equal(waitpid(s->pid, &s->status, 0), s->pid);
		drain(s);
		return 1;
	}
	if (m.type == WORKER_FAULTED) {
		ipc_message_release(&m);
		assert_int_equal(kill(s->pid, SIGKILL), 0);
		return 0;
	}
	if (m.type == WORKER_INPUT_REQUEST) {
		cleanup_buffer struct buffer b = BUFFER_INIT;

		record_put_u8(&b, 0);
		record_put_str(&b, "typed text");
		assert_int_equal(ipc_send(s->channel, WORKER_INPUT, b.data, b.len, NULL, 0, &err),
				 0);
		ipc_message_release(&m);
		return 0;
	}
	if (m.type == WORKER_LOADED) {
		read_loaded(s, &m);
		ipc_message_release(&m);
		return 0;
	}
	if (m.type == WORKER_DEVICE_ASK) {
		permit(s, &m);
		ipc_message_release(&m);
		return 0;
	}
	if (m.type == WORKER_DEVICE_CHUNK || m.type == WORKER_DEVICE_PREIMAGE ||
	    m.type == WORKER_DEVICE_DROP) {
		ipc_message_release(&m);
		return 0;
	}
	assert_int_equal(m.type, WORKER_CELL_END);
	read_end(s, &m);
	ipc_message_release(&m);
	return 1;
}

int harness_wait(struct session_process *s)
{
	int64_t end = now_ms() + DEADLINE_MS;

	while (!step(s, 5)) {
		if (now_ms() > end)
			fail_msg("the cell did not end");
	}
	return s->outcome;
}

int harness_interrupt(struct session_process *s)
{
	int64_t end = now_ms() + DEADLINE_MS;

	atomic_store(&s->control->interrupt, 1);
	do {
		kill(s->pid, SIGUSR1);
		if (now_ms() > end)
			fail_msg("the interrupt had no effect");
	} while (!step(s, 3));
	return s->outcome;
}

void harness_expect_output(struct session_process *s, const char *text)
{
	int64_t end = now_ms() + DEADLINE_MS;

	while (!strstr(buffer_text(&s->text), text)) {
		if (now_ms() > end || step(s, 2))
			fail_msg("the output has no '%s' but '%s'", text, buffer_text(&s->text));
	}
}

static void copy_private(struct session_process *s, int pagemap, uint64_t address)
{
	char page[4096];
	struct iovec local = { page, sizeof(page) }, remote = { (void *)address, sizeof(page) };
	uint64_t entry;

	assert_int_equal(pread(pagemap, &entry, 8, (off_t)(address / 4096 * 8)), 8);
	if (!(entry >> 63) || entry >> 61 & 1)
		return;
	assert_int_equal(process_vm_readv(s->pid, &local, 1, &remote, 1, 0), 4096);
	assert_int_equal(pwrite(s->arena, page, 4096, (off_t)(address - ARENA_BASE)), 4096);
}

void harness_commit(struct session_process *s)
{
	struct arena_header h;
	struct iovec local = { &h, sizeof(h) }, remote = { (void *)ARENA_BASE, sizeof(h) };
	struct buffer committed = BUFFER_INIT;
	struct error err = ERROR_INIT;
	char path[64];
	int pagemap;

	assert_int_equal(process_vm_readv(s->pid, &local, 1, &remote, 1, 0), sizeof(h));
	assert_int_equal(h.magic, ARENA_MAGIC);
	snprintf(path, sizeof(path), "/proc/%d/pagemap", s->pid);
	pagemap = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(pagemap >= 0);
	for (int r = 0; r < ARENA_REGIONS; r++) {
		uint64_t start = ARENA_BASE + arena_region_offset((enum arena_region)r);

		for (uint64_t at = 0; at < h.top[r]; at += 4096)
			copy_private(s, pagemap, start + at);
	}
	close(pagemap);
	arena_files_move(s->live, s->arena);
	record_put_u32(&committed, h.cell);
	record_put_u32(&committed, 0);
	record_put_u32(&committed, 0);
	assert_int_equal(ipc_send(s->channel, WORKER_COMMITTED, committed.data, committed.len, NULL,
				  0, &err),
			 0);
	buffer_release(&committed);
}

int harness_cell(struct session_process *s, uint32_t cell, const char *text,
		 const char *const *types)
{
	harness_send(s, cell, text, types);
	harness_wait(s);
	if (s->outcome == OUTCOME_OK)
		harness_commit(s);
	return s->outcome;
}

void harness_ok(struct session_process *s, uint32_t cell, const char *text,
		const char *const *types)
{
	int r = harness_cell(s, cell, text, types);

	if (r != OUTCOME_OK)
		fail_msg("cell %u: outcome %d, fault %u: %s", cell, r,
			 atomic_load(&s->control->fault.kind), s->control->fault.text);
}
