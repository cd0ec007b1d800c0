/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loading a snapshot while processes die: the worker that is given the loaded session, the zygote,
 * and both. The session is then the loaded one or the one from before, and goes on. An answer that
 * is nobody's any more changes nothing.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/error.h"
#include "common/base/record.h"
#include "common/protocol/ipc.h"
#include "common/protocol/worker-protocol.h"
#include "kernel/core/supervisor-state.h"
#include "kernel/disk/snapshots.h"
#include "kernel/supervisor/supervisor.h"
#include "kernel/workers/worker-pool.h"
#include "tests/unit/kernel/supervisor-harness.h"

#define DEADLINE_MS 180000

static struct harness h;
static char folder[64];

static struct {
	bool done;
	char error[512];
	char session[32];
	uint32_t count;
} ended;

static const char definitions[] =
	"#include <stdio.h>\n#include <stdlib.h>\nint n = 1; int *heap; int *device;\n"
	"__global__ void set(int *p, int v) { p[threadIdx.x] = v; }\n"
	"void show(void) { int d[4]; cudaMemcpy(d, device, sizeof(d), cudaMemcpyDeviceToHost);\n"
	"  printf(\"%d %d %d\\n\", n, heap[9999], d[3]); }\n";

static int describe(void *data, struct buffer *out, uint32_t *ret_count)
{
	*ret_count = *(uint32_t *)data;
	buffer_puts(out, "mine");
	return 0;
}

static void on_done(void *data, const struct snapshots_end *end)
{
	(void)data;
	ended.done = true;
	snprintf(ended.error, sizeof(ended.error), "%s", end->error);
	snprintf(ended.session, sizeof(ended.session), "%s",
		 end->session ? buffer_text(end->session) : "");
	ended.count = end->count;
}

static bool is_done(void *data)
{
	(void)data;
	return ended.done;
}

static void wait_done(void)
{
	harness_until(&h, is_done, NULL);
}

static void save(const char *name)
{
	struct error err = ERROR_INIT;

	memset(&ended, 0, sizeof(ended));
	harness_worker(&h);
	if (snapshots_save(h.supervisor, name, on_done, NULL, &err))
		fail_msg("%s", err.text);
	wait_done();
	assert_string_equal(ended.error, "");
}

static void start_load(const char *name)
{
	struct error err = ERROR_INIT;

	memset(&ended, 0, sizeof(ended));
	harness_worker(&h);
	if (snapshots_restore(h.supervisor, name, on_done, NULL, &err))
		fail_msg("%s", err.text);
}

static int set_up(void **state)
{
	static uint32_t count = 77;

	(void)state;
	strcpy(folder, "/tmp/cgpu-snapshots-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	harness_start(&h, NULL, 0);
	snapshots_keep(h.supervisor, folder, 0, describe, &count);
	harness_ok(&h, definitions);
	harness_ok(&h, "heap = calloc(10000, sizeof(int)); heap[9999] = 2; cudaMalloc(&device, 4 "
		       "<< 20);set<<<1, 4>>>(device, 3); cudaDeviceSynchronize();");
	save("a");
	harness_ok(&h,
		   "n = 10; heap[9999] = 20; set<<<1, 4>>>(device, 30); cudaDeviceSynchronize();");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	harness_stop(&h);
	return harness_remove_folder(folder);
}

static void test_save_load_undo(void **state)
{
	struct error err = ERROR_INIT;
	uint64_t before = supervisor_state(h.supervisor);

	(void)state;
	start_load("a");
	wait_done();
	assert_string_equal(ended.error, "");
	assert_string_equal(ended.session, "mine");
	assert_int_equal(ended.count, 77);
	assert_string_equal(harness_ok(&h, "show();"), "1 2 3\n");
	harness_ok(&h, "n = 5; set<<<1, 4>>>(device, 6); cudaDeviceSynchronize();");
	harness_fault(&h, "n = 6; heap[9999] = 7; *(volatile int *)0 = 1;", "SegmentationFault");
	assert_string_equal(harness_ok(&h, "show();"), "5 2 6\n");
	if (session_undo(h.supervisor, before, &err))
		fail_msg("%s", err.text);
	assert_string_equal(harness_ok(&h, "show();"), "10 20 30\n");
}

static const struct supervisor_hooks *hooks;

/* The worker is sent the session, and dies before it sees it. */
static int send_and_kill(struct supervisor *s, struct worker *w, struct error *err)
{
	int r;

	s->hooks = hooks;
	kill(w->pid, SIGSTOP);
	r = s->hooks->send_session(s, w, err);
	kill(w->pid, SIGKILL);
	return r;
}

static void test_the_worker_dies_over_it(void **state)
{
	struct supervisor_hooks killing;

	(void)state;
	hooks = h.supervisor->hooks;
	killing = *hooks;
	killing.send_session = send_and_kill;
	start_load("a");
	h.supervisor->hooks = &killing;
	wait_done();
	assert_ptr_equal(h.supervisor->hooks, hooks);
	assert_non_null(strstr(ended.error, "the session is as it was"));
	assert_string_equal(harness_ok(&h, "show();"), "10 20 30\n");
	start_load("a");
	wait_done();
	assert_string_equal(ended.error, "");
	assert_string_equal(harness_ok(&h, "show();"), "1 2 3\n");
}

static void test_the_zygote_dies_over_it(void **state)
{
	(void)state;
	start_load("a");
	harness_kill(&h, harness_zygote(&h));
	wait_done();
	assert_string_equal(harness_ok(&h, "show();"), *ended.error ? "10 20 30\n" : "1 2 3\n");
}

static void test_nothing_else_meanwhile(void **state)
{
	struct error err = ERROR_INIT;

	(void)state;
	start_load("a");
	assert_int_equal(snapshots_save(h.supervisor, "b", on_done, NULL, &err), -1);
	assert_int_equal(err.code, ERROR_STATE);
	wait_done();
	assert_string_equal(harness_ok(&h, "show();"), "1 2 3\n");
}

/* The worker's answer to a save that was given up: zeros, and not the piece that the next save
 * waits for. */
static void answer_late(uint64_t address, uint64_t size)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;
	struct ipc_message m = { .type = WORKER_DEVICE_BYTES, .n_fds = 1 };

	record_put_u64(&b, address);
	record_put_u8(&b, 1);
	record_put_str(&b, "");
	m.fds[0] = memfd_create("late", MFD_CLOEXEC);
	assert_int_equal(ftruncate(m.fds[0], (off_t)size), 0);
	m.data = b.data;
	m.len = b.len;
	snapshots_on_message(h.supervisor, &m);
	while (m.n_fds)
		close(m.fds[--m.n_fds]);
}

static void test_an_answer_that_comes_late(void **state)
{
	const struct snapshots *n = h.supervisor->snapshots;
	struct error err = ERROR_INIT;
	struct snapshot_piece wanted = { 0 };

	(void)state;
	memset(&ended, 0, sizeof(ended));
	harness_worker(&h);
	if (snapshots_save(h.supervisor, "b", on_done, NULL, &err))
		fail_msg("%s", err.text);
	/* Its question is there, and the loop has not seen it. */
	while (snapshot_job_state(n->job, &wanted) != JOB_WANTS_DEVICE)
		assert_int_equal(poll(&(struct pollfd){ .fd = n->job->wake, .events = POLLIN }, 1,
				      DEADLINE_MS),
				 1);
	answer_late(wanted.address + SNAPSHOT_PIECE, wanted.size);
	wait_done();
	assert_string_equal(ended.error, "");
	harness_ok(&h, "set<<<1, 4>>>(device, 31); cudaDeviceSynchronize();");
	start_load("b");
	wait_done();
	assert_string_equal(ended.error, "");
	assert_string_equal(harness_ok(&h, "show();"), "10 20 30\n");
}

/* As saved by workers whose tables have another shape. */
static void test_another_layout(void **state)
{
	struct snapshot_file f;
	struct error err = ERROR_INIT;
	int dir = snapshot_folder_open(folder, false, &err);

	(void)state;
	assert_int_equal(snapshot_file_read(dir, "a", &f, &err), 0);
	f.layout++;
	assert_int_equal(snapshot_file_write(dir, "b", &f, false, NULL, &err), 0);
	snapshot_file_release(&f);
	close(dir);
	start_load("b");
	wait_done();
	assert_non_null(
		strstr(ended.error, "'b' was made by a cgpu that keeps its tables in another way"));
	assert_string_equal(harness_ok(&h, "show();"), "10 20 30\n");
}

static void test_one_that_is_not_there(void **state)
{
	(void)state;
	start_load("none");
	wait_done();
	assert_non_null(strstr(ended.error, "no snapshot 'none'"));
	assert_string_equal(harness_ok(&h, "show();"), "10 20 30\n");
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_save_load_undo, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_the_worker_dies_over_it, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_the_zygote_dies_over_it, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_nothing_else_meanwhile, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_an_answer_that_comes_late, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_another_layout, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_one_that_is_not_there, set_up, tear_down),
	};

	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
