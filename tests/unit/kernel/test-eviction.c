/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What may happen while a session is being parked, put into each window by events: the worker
 * stands still while it copies, the zygote while it forks, the disk takes nothing, a snapshot is
 * loaded.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/error.h"
#include "kernel/core/supervisor-state.h"
#include "kernel/device/device-nodes.h"
#include "kernel/device/eviction.h"
#include "kernel/supervisor/supervisor.h"
#include "kernel/workers/worker-pool.h"
#include "tests/unit/kernel/supervisor-harness.h"

static struct harness h;
static char folder[64];

static struct {
	bool done;
	char problem[512];
} parked, loaded;

static const char definitions[] = "#include <stdio.h>\nint *a, h[2];\n"
				  "__global__ void set(int *p, int v) { p[threadIdx.x] = v; }\n"
				  "void show(void) { cudaMemcpy(h, a, 8, cudaMemcpyDeviceToHost); "
				  "printf(\"%d %d\", h[0], h[1]); }\n";

static void on_evicted(void *data, const char *problem)
{
	(void)data;
	parked.done = true;
	snprintf(parked.problem, sizeof(parked.problem), "%s", problem);
}

static void on_loaded(void *data, const struct snapshots_end *end)
{
	(void)data;
	loaded.done = true;
	snprintf(loaded.problem, sizeof(loaded.problem), "%s", end->error);
}

static int describe(void *data, struct buffer *out, uint32_t *ret_count)
{
	(void)data;
	*ret_count = 1;
	buffer_puts(out, "mine");
	return 0;
}

static bool both_are_done(void *data)
{
	(void)data;
	return parked.done && loaded.done;
}

static bool is_parked(void *data)
{
	(void)data;
	return h.supervisor->eviction->phase == EVICTION_EVICTED;
}

static bool is_saving(void *data)
{
	(void)data;
	return h.supervisor->eviction->phase == EVICTION_SAVING;
}

static bool a_piece_is_copied(void *data)
{
	const struct eviction *p = h.supervisor->eviction;

	(void)data;
	return p->phase != EVICTION_SAVING || p->at || p->items[0].copied;
}

static bool all_is_copied(void *data)
{
	const struct eviction *p = h.supervisor->eviction;

	(void)data;
	return p->phase != EVICTION_SAVING || p->at == p->n;
}

static bool spare_is_starting(void *data)
{
	(void)data;
	return h.supervisor->pool->spare && h.supervisor->pool->spare->state == WORKER_STARTING;
}

/* Some turns of the loop after all was copied. */
static bool waits_for_the_fork(void *data)
{
	static unsigned turns;

	assert_false(is_parked(data));
	turns += all_is_copied(data);
	return turns > 10;
}

static void park(void)
{
	struct error err = ERROR_INIT;

	memset(&parked, 0, sizeof(parked));
	if (eviction_start(h.supervisor, on_evicted, NULL, &err))
		fail_msg("%s", err.text);
}

static void save(const char *name)
{
	struct error err = ERROR_INIT;

	loaded.done = false;
	parked.done = true;
	if (snapshots_save(h.supervisor, name, on_loaded, NULL, &err))
		fail_msg("%s", err.text);
	harness_until(&h, both_are_done, NULL);
	assert_string_equal(loaded.problem, "");
}

static int set_up(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/cgpu-parking-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	setenv("CGPU_EMULATED_MEMORY", "256M", 1);
	harness_start(&h, NULL, 0);
	snapshots_keep(h.supervisor, folder, 0, describe, NULL);
	harness_ok(&h, definitions);
	harness_worker(&h);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	harness_stop(&h);
	return harness_remove_folder(folder);
}

static void fill(void)
{
	harness_ok(&h, "cudaMalloc(&a, 20 << 20); set<<<1, 2>>>(a, 7); cudaDeviceSynchronize();");
	harness_worker(&h);
}

static void check(void)
{
	assert_string_equal(harness_ok(&h, "show();"), "7 7");
}

/* There is nothing to copy, so the end of it is the first thing that the loop has to do, unless the
 * processor was with the thread that loads: then it is tried again. */
static void a_load_is_not_left_without_a_worker(void **state)
{
	struct error err = ERROR_INIT;

	(void)state;
	save("a");
	do {
		/* A spare on its way would put that off, and the load could be over before. */
		harness_spare(&h);
		park();
		loaded.done = false;
		if (snapshots_restore(h.supervisor, "a", on_loaded, NULL, &err))
			fail_msg("%s", err.text);
		harness_until(&h, both_are_done, NULL);
		assert_string_equal(loaded.problem, "");
	} while (!*parked.problem);
	assert_non_null(strstr(parked.problem, "the session is being saved or restored"));
	fill();
	check();
}

static void one_who_asks_while_it_happens_by_itself_waits_for_the_end(void **state)
{
	const struct eviction_rules soon = { .idle_ms = 1, .when_wanted = true },
				    never = { .when_wanted = true };
	struct error err = ERROR_INIT;
	pid_t worker;

	(void)state;
	fill();
	worker = harness_worker(&h);
	kill(worker, SIGSTOP);
	eviction_set_rules(h.supervisor, &soon);
	harness_until(&h, is_saving, NULL);
	park();
	/* Another one is told that it is at work. */
	assert_int_equal(eviction_start(h.supervisor, on_evicted, NULL, &err), -1);
	assert_non_null(strstr(err.text, "being parked already"));
	kill(worker, SIGCONT);
	harness_until(&h, is_parked, NULL);
	assert_true(parked.done);
	assert_string_equal(parked.problem, "");
	eviction_set_rules(h.supervisor, &never);
	check();
}

static void a_worker_that_is_being_forked_is_ended_too(void **state)
{
	pid_t spare;

	(void)state;
	fill();
	spare = harness_spare(&h);
	kill(harness_zygote(&h), SIGSTOP);
	harness_kill(&h, spare);
	harness_until(&h, spare_is_starting, NULL);
	park();
	harness_until(&h, waits_for_the_fork, NULL);
	kill(harness_zygote(&h), SIGCONT);
	harness_until(&h, is_parked, NULL);
	assert_string_equal(parked.problem, "");
	assert_null(h.supervisor->pool->dying);
	check();
}

/* Nobody has the GPU open then, so that of a laptop may sleep. */
static void the_node_of_the_gpu_is_let_go(void **state)
{
	(void)state;
	fill();
	device_nodes_hold(h.supervisor->nodes, open("/dev/null", O_RDWR | O_CLOEXEC));
	assert_int_equal(h.supervisor->nodes->n, 1);
	park();
	harness_until(&h, is_parked, NULL);
	assert_int_equal(h.supervisor->nodes->n, 0);
	check();
}

static bool has_tried(void *data)
{
	return h.supervisor->eviction->rest_ms != *(uint64_t *)data;
}

static void a_full_disk_is_tried_again(void **state)
{
	const struct eviction_rules soon = { .idle_ms = 1, .when_wanted = true, .memory_max = 1 };
	uint64_t began;

	(void)state;
	fill();
	assert_int_equal(rmdir(folder), 0);
	assert_int_equal(symlink("/proc/nowhere", folder), 0);
	eviction_set_rules(h.supervisor, &soon);
	began = h.supervisor->eviction->rest_ms;
	harness_until(&h, has_tried, &began);
	assert_int_equal(h.supervisor->eviction->phase, EVICTION_AWAKE);
	assert_int_equal(unlink(folder), 0);
	harness_until(&h, is_parked, NULL);
	assert_true(h.supervisor->eviction->on_disk);
	check();
}

/* A cell that comes takes its worker back, at whatever step that is; what was copied until then is
 * nobody's. */
static void a_cell_comes_at_each_step(void **state)
{
	static bool (*const steps[])(void *data) = { is_saving, a_piece_is_copied, all_is_copied,
						     is_parked };
	pid_t worker;

	(void)state;
	fill();
	for (unsigned i = 0; i < 3 * sizeof(steps) / sizeof(steps[0]); i++) {
		worker = harness_worker(&h);
		kill(worker, SIGSTOP);
		park();
		/* The first piece, or its end, may be on its way to us when the cell comes. */
		kill(worker, SIGCONT);
		harness_until(&h, steps[i % 4], NULL);
		harness_ok(&h, "{ int v = 7; cudaMemcpy(a, &v, 4, cudaMemcpyHostToDevice); }");
		assert_true(parked.done);
		check();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_load_is_not_left_without_a_worker, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(
			one_who_asks_while_it_happens_by_itself_waits_for_the_end, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(a_worker_that_is_being_forked_is_ended_too, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(the_node_of_the_gpu_is_let_go, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_full_disk_is_tried_again, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_cell_comes_at_each_step, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
