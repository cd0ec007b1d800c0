/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A checked cell of a session on a played GPU: device memory comes to the emulated device byte for
 * byte, what the cell does there reaches nobody, and each process on the way may die.
 */
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "common/cuda/emulator-extension.h"
#include "common/protocol/worker-protocol.h"
#include "kernel/cell-run/checker.h"
#include "kernel/core/supervisor-state.h"
#include "kernel/supervisor/supervisor.h"
#include "kernel/workers/worker-pool.h"
#include "tests/unit/kernel/supervisor-harness.h"

static struct harness h;
static char before[64];

/* Of several pieces, not a multiple of one; zero but for its last bytes; of a pool; and one that
 * nobody has written. */
static const char definitions[] =
	"#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
	"int host = 3; __device__ int word = 77;\n"
	"char *sizes_of[4]; size_t sizes[4] = { (37u << 20) + 4, 18u << 20, 1000, 300u << 20 };\n"
	"unsigned long mix(unsigned long h, const char *p, size_t n)\n"
	"{ for (size_t i = 0; i < n; i += 8) { unsigned long w = 0; memcpy(&w, p + i, n - i < 8 ? "
	"n - i : 8);\n"
	"    h = (h ^ w) * 0x100000001b3ul; } return h; }\n"
	"void show(void)\n"
	"{ unsigned long h = host; int copy = 0;\n"
	"  for (int i = 0; i < 3; i++) { char *at = malloc(sizes[i]);\n"
	"    cudaMemcpy(at, sizes_of[i], sizes[i], cudaMemcpyDeviceToHost); h = mix(h, at, "
	"sizes[i]); free(at); }\n"
	"  cudaMemcpyFromSymbol(&copy, word, 4); printf(\"%016lx\\n\", mix(h, (char *)&copy, 4)); "
	"}\n";

static const char filling[] =
	"for (int i = 0; i < 4; i++) cudaMalloc(&sizes_of[i], sizes[i]);\n"
	"char *at = malloc(sizes[0]);\n"
	"for (size_t i = 0; i < sizes[0]; i++) at[i] = (char)(i * 2654435761u >> 11);\n"
	"cudaMemcpy(sizes_of[0], at, sizes[0], cudaMemcpyHostToDevice); free(at);\n"
	"cudaMemset(sizes_of[1], 0, sizes[1]); cudaMemset(sizes_of[1] + sizes[1] - 5, 9, 5); "
	"cudaMemset(sizes_of[2], 8, 1000);\n"
	"show();\n";

#define SPOIL                                                                                      \
	"host = 4; cudaMemset(sizes_of[0] + 16777210, 1, 20); cudaMemset(sizes_of[2], 1, 1000); "  \
	"cudaFree(sizes_of[1]);\n"

static int set_up(void **state)
{
	const char *path = getenv("LD_LIBRARY_PATH");
	char with[4096];

	(void)state;
	snprintf(with, sizeof(with), "%s:%s", PLAYED_GPU, path ? path : "");
	setenv("CGPU_DEVICE", "native", 1);
	setenv("LD_LIBRARY_PATH", with, 1);
	harness_start(&h, NULL, 0);
	harness_ok(&h, definitions);
	snprintf(before, sizeof(before), "%s", harness_ok(&h, filling));
	assert_false(h.supervisor->pool->active->hello.emulated);
	return strlen(before) == 17 ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	harness_stop(&h);
	return 0;
}

static void assert_untouched(void)
{
	assert_string_equal(harness_ok(&h, "show();"), before);
	assert_false(h.supervisor->pool->active->checks);
	assert_int_equal(h.supervisor->checker->phase, CHECKER_NONE);
	assert_null(h.supervisor->checker->chunks);
}

static void run_checked(const char *text)
{
	h.options.device_checks = EMULATOR_CHECK_RACES;
	harness_run(&h, text);
}

/* The files behind the session's device memory. */
static void files_of(struct stat *ret)
{
	for (size_t i = 0; i < h.supervisor->device.chunks.n; i++)
		assert_int_equal(fstat(h.supervisor->device.chunks.at[i].fd, &ret[i]), 0);
}

static void test_memory_is_moved(void **state)
{
	struct stat was[8], is[8];
	size_t n = h.supervisor->device.chunks.n;

	(void)state;
	assert_in_range(n, 4, 8);
	files_of(was);
	run_checked("show();");
	assert_true(h.last.ok && h.last.rolled_back);
	assert_string_equal(buffer_text(&h.last.output), before);
	run_checked(SPOIL "void *more; cudaMalloc(&more, 1 << 20); show();");
	assert_true(h.last.ok && h.last.rolled_back);
	assert_string_not_equal(buffer_text(&h.last.output), before);
	assert_int_equal(h.supervisor->device.chunks.n, n);
	files_of(is);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(is[i].st_ino, was[i].st_ino);
	assert_untouched();
}

static void test_faults(void **state)
{
	(void)state;
	run_checked(SPOIL "*(volatile int *)8 = 1;");
	assert_string_equal(buffer_text(&h.last.ename), "SegmentationFault");
	assert_non_null(
		strstr(buffer_text(&h.last.traceback), "The cell ran on the emulated device"));
	assert_untouched();
	run_checked(SPOIL "abort();");
	assert_string_equal(buffer_text(&h.last.ename), "Aborted");
	assert_untouched();
}

static void begin_checked(const char *text)
{
	h.options.device_checks = EMULATOR_CHECK_RACES;
	h.last.ended = false;
	supervisor_compile(h.supervisor,
			   &(struct supervisor_compilation){
				   .cell = ++h.cell,
				   .name = "In[1]",
				   .text = text,
				   .cflags = "",
				   .nvflags = "",
				   .options = &(struct run_options){ 0 },
			   },
			   NULL);
}

static bool is_copying(void *data)
{
	(void)data;
	return h.supervisor->checker->phase == CHECKER_COPYING || h.last.ended;
}

/* behind_a_piece: its answer to a piece is there, and the loop hears of that before its death. */
static void die_while_it_copies(bool behind_a_piece)
{
	struct pollfd answer = { .events = POLLIN }, death = answer;

	begin_checked(SPOIL);
	harness_until(&h, is_copying, NULL);
	assert_int_equal(h.supervisor->checker->phase, CHECKER_COPYING);
	answer.fd = h.supervisor->pool->active->channel;
	death.fd = h.supervisor->pool->active->pidfd;
	if (behind_a_piece)
		assert_int_equal(poll(&answer, 1, -1), 1);
	kill(h.supervisor->pool->active->pid, SIGKILL);
	if (behind_a_piece)
		assert_int_equal(poll(&death, 1, -1), 1);
	harness_wait_end(&h);
	assert_false(h.last.ok);
	assert_string_equal(buffer_text(&h.last.ename), "InternalError");
	assert_non_null(
		strstr(buffer_text(&h.last.evalue), "was lost while device memory was copied"));
	assert_untouched();
}

static void test_worker_dies_while_it_copies(void **state)
{
	(void)state;
	die_while_it_copies(false);
	die_while_it_copies(true);
}

static void test_interrupted_while_it_copies(void **state)
{
	(void)state;
	begin_checked(SPOIL);
	harness_until(&h, is_copying, NULL);
	assert_int_equal(h.supervisor->checker->phase, CHECKER_COPYING);
	supervisor_interrupt(h.supervisor);
	harness_wait_end(&h);
	assert_true(!h.last.ok && h.last.interrupted);
	assert_string_equal(buffer_text(&h.last.ename), "Interrupted");
	assert_untouched();
}

static bool checker_is_there(void *data)
{
	const struct worker *spare = h.supervisor->pool->spare,
			    *active = h.supervisor->pool->active;

	(void)data;
	return (spare && spare->checks && spare->pid) || (active && active->checks) || h.last.ended;
}

/* In its start, while it takes the session, or with the cell: another one takes its place, or that
 * is the cell's end. */
static void test_checker_dies(void **state)
{
	(void)state;
	begin_checked(SPOIL "show();");
	harness_until(&h, checker_is_there, NULL);
	assert_false(h.last.ended);
	kill(h.supervisor->pool->spare && h.supervisor->pool->spare->checks
		     ? h.supervisor->pool->spare->pid
		     : h.supervisor->pool->active->pid,
	     SIGKILL);
	harness_wait_end(&h);
	assert_true(h.last.rolled_back);
	if (!h.last.ok)
		assert_string_equal(buffer_text(&h.last.ename), "WorkerKilled");
	assert_untouched();
}

static void test_no_checker_can_be_had(void **state)
{
	(void)state;
	setenv("CGPU_EMULATOR", "/nowhere/libcgpu-emulator.so", 1);
	harness_kill(&h, harness_zygote(&h));
	assert_untouched();
	run_checked(SPOIL);
	assert_false(h.last.ok);
	assert_string_equal(buffer_text(&h.last.ename), "InternalError");
	assert_non_null(strstr(buffer_text(&h.last.evalue), "/nowhere/libcgpu-emulator.so"));
	assert_untouched();
	unsetenv("CGPU_EMULATOR");
	harness_kill(&h, harness_zygote(&h));
	run_checked("show();");
	assert_true(h.last.ok);
	assert_untouched();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memory_is_moved),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_worker_dies_while_it_copies),
		cmocka_unit_test(test_interrupted_while_it_copies),
		cmocka_unit_test(test_checker_dies),
		cmocka_unit_test(test_no_checker_can_be_had),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
