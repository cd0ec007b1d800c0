/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that write as nvidia-smi does, and some that do not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/error.h"
#include "kernel/base/loop.h"
#include "kernel/show/gpu-meter.h"

#define DEADLINE_MS 180000

static const uint8_t uuid[GPU_METER_UUID_SIZE] = { 0x12, 0x34, [15] = 0xff };
static char path[] = "/tmp/test-gpu-meter-XXXXXX";

/* The program is a script with this text from here on. */
static void write_program(const char *text)
{
	FILE *f;

	strcpy(strrchr(path, '-'), "-XXXXXX");
	f = fdopen(mkstemp(path), "w");
	assert_non_null(f);
	fprintf(f, "#!/bin/sh\n%s\n", text);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(path, 0700), 0);
}

struct waiting {
	struct loop *loop;
	struct gpu_meter *meter;
	uint64_t end_ms;
	bool until_known;
};

static void look(void *data)
{
	struct waiting *w = data;
	bool done = w->until_known ? gpu_meter_is_known(w->meter) : !gpu_meter_runs(w->meter);

	if (done || loop_now_ms() > w->end_ms)
		loop_stop(w->loop);
	else
		loop_add_timer(w->loop, 1, look, w);
}

/* Until it has figures, or else until it has ended. */
static void run(struct gpu_meter *m, struct loop *loop, bool until_known)
{
	struct waiting w = { loop, m, loop_now_ms() + DEADLINE_MS, until_known };
	struct error err = ERROR_INIT;

	assert_int_equal(gpu_meter_start(m, loop, path, uuid, &err), 0);
	loop_add_timer(loop, 1, look, &w);
	loop_run(loop);
}

static void stop(struct gpu_meter *m)
{
	gpu_meter_stop(m);
	assert_false(gpu_meter_is_known(m));
	assert_true(wait(NULL) > 0);
	unlink(path);
}

static void figures_are_read_while_it_runs(void **state)
{
	struct loop *loop = loop_new();
	struct gpu_meter m;

	(void)state;
	write_program("case \"$*\" in *--id=GPU-12340000-0000-0000-0000-0000000000ff*) echo '37, "
		      "54';; esac; exec sleep 1000");
	run(&m, loop, true);
	assert_int_equal(m.busy_percent, 37);
	assert_int_equal(m.celsius, 54);
	assert_true(gpu_meter_runs(&m));
	stop(&m);
	assert_false(gpu_meter_runs(&m));
	loop_free(loop);
}

static void what_is_not_told_is_not_known(void **state)
{
	struct loop *loop = loop_new();
	struct gpu_meter m;

	(void)state;
	write_program("echo '[N/A], 61'; exec sleep 1000");
	run(&m, loop, true);
	assert_int_equal(m.busy_percent, -1);
	assert_int_equal(m.celsius, 61);
	stop(&m);
	write_program("echo 'NVIDIA-SMI has failed because it could not communicate with the "
		      "NVIDIA driver'; exit 9");
	run(&m, loop, false);
	assert_false(gpu_meter_runs(&m));
	assert_false(gpu_meter_is_known(&m));
	stop(&m);
	write_program("head -c 100000 /dev/zero | tr '\\0' x; echo; echo '5, 6'; exec sleep 1000");
	run(&m, loop, true);
	assert_int_equal(m.busy_percent, 5);
	stop(&m);
	loop_free(loop);
}

static void a_machine_without_it_says_so(void **state)
{
	struct loop *loop = loop_new();
	struct error err = ERROR_INIT;
	struct gpu_meter m;

	(void)state;
	assert_int_equal(gpu_meter_start(&m, loop, "/nowhere/nvidia-smi", uuid, &err), -1);
	assert_int_equal(err.code, ERROR_NOT_FOUND);
	assert_false(gpu_meter_runs(&m));
	gpu_meter_stop(&m);
	loop_free(loop);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_are_read_while_it_runs),
		cmocka_unit_test(what_is_not_told_is_not_known),
		cmocka_unit_test(a_machine_without_it_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
