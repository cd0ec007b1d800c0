/* SPDX-License-Identifier: Apache-2.0 */
/* What counts, by processes that run, that sleep, and that a debugger keeps from doing either. */
#define _GNU_SOURCE
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "kernel/base/cpu-deadline.h"
#include "kernel/base/loop.h"

#define DEADLINE_MS 180000
#define LOOKS 20

enum way { RUN, SLEEP, BE_HELD };

static pid_t child;

static void live(enum way way)
{
	if (way == BE_HELD && (ptrace(PTRACE_TRACEME, 0, NULL, NULL) || raise(SIGSTOP)))
		_exit(1);
	for (;;)
		if (way == SLEEP)
			pause();
}

static char state_of(pid_t pid)
{
	char path[64], state = '?';
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "r");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%*d (%*[^)]) %c", &state), 1);
	fclose(f);
	return state;
}

/* A child that has got as far as it goes. */
static void start(enum way way)
{
	static const char states[] = { [RUN] = 'R', [SLEEP] = 'S', [BE_HELD] = 't' };
	uint64_t end = loop_now_ms() + DEADLINE_MS;

	child = fork();
	assert_true(child >= 0);
	if (!child)
		live(way);
	while (state_of(child) != states[way]) {
		assert_true(loop_now_ms() < end);
		poll(NULL, 0, 1);
	}
}

static int end(void **state)
{
	(void)state;
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return 0;
}

static void counts(enum cpu_deadline_kind kind)
{
	uint64_t deadline = loop_now_ms() + DEADLINE_MS;
	struct cpu_deadline p;

	cpu_deadline_begin(&p, child, kind);
	while (cpu_deadline_used_ms(&p) < LOOKS) {
		assert_true(loop_now_ms() < deadline);
		poll(NULL, 0, 1);
	}
}

static void does_not_count(enum cpu_deadline_kind kind)
{
	struct cpu_deadline p;

	cpu_deadline_begin(&p, child, kind);
	for (int i = 0; i < LOOKS; i++) {
		poll(NULL, 0, 1);
		assert_int_equal(cpu_deadline_used_ms(&p), 0);
	}
}

static void test_sleeping(void **state)
{
	(void)state;
	start(SLEEP);
	counts(CPU_DEADLINE_ANSWER);
	counts(CPU_DEADLINE_DEATH);
}

static void test_running(void **state)
{
	(void)state;
	start(RUN);
	counts(CPU_DEADLINE_ANSWER);
	does_not_count(CPU_DEADLINE_DEATH);
}

static void test_held(void **state)
{
	(void)state;
	start(BE_HELD);
	does_not_count(CPU_DEADLINE_ANSWER);
	does_not_count(CPU_DEADLINE_DEATH);
}

static void test_a_gap_between_looks_counts_little(void **state)
{
	struct cpu_deadline p;

	(void)state;
	start(SLEEP);
	cpu_deadline_begin(&p, child, CPU_DEADLINE_ANSWER);
	p.looked_ms -= 50 * CPU_DEADLINE_LOOK_MS;
	assert_int_equal(cpu_deadline_used_ms(&p), CPU_DEADLINE_LOOK_MS);
}

static void test_it_ends(void **state)
{
	struct cpu_deadline p;

	(void)state;
	start(BE_HELD);
	cpu_deadline_begin(&p, child, CPU_DEADLINE_ANSWER);
	p.began_ms -= CPU_DEADLINE_END_MS + 1;
	assert_true(cpu_deadline_used_ms(&p) == UINT64_MAX);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, end)
	const struct CMUnitTest tests[] = {
		TEST(test_sleeping), TEST(test_running),
		TEST(test_held),     TEST(test_a_gap_between_looks_counts_little),
		TEST(test_it_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
