/* SPDX-License-Identifier: Apache-2.0 */
/* Questions to another process through shared memory, and what happens when it does not answer. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/protocol/fault-questions.h"
#include "common/protocol/worker-protocol.h"

#define DEADLINE_MS 180000

static void describe(uint64_t address, struct address_description *ret)
{
	ret->owner = OWNER_HEAP;
	ret->base = address & ~0xfull;
	ret->size = 16;
	snprintf(ret->name, sizeof(ret->name), "block %lu", (unsigned long)(address / 16));
}

static struct worker_control *new_control(void)
{
	void *p = mmap(NULL, sizeof(struct worker_control), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(p, MAP_FAILED);
	return p;
}

static void test_each_question_has_its_answer(void **state)
{
	struct worker_control *c = new_control();
	struct address_description d;
	char name[64];
	pid_t child = fork();

	(void)state;
	if (!child)
		fault_questions_serve(c, describe, NULL);
	for (uint64_t i = 1; i < 500; i++) {
		assert_int_equal(fault_questions_ask(c, i * 16 + 5, DEADLINE_MS, &d), 0);
		snprintf(name, sizeof(name), "block %lu", (unsigned long)i);
		assert_string_equal(d.name, name);
		assert_int_equal(d.base, i * 16);
	}
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	munmap(c, sizeof(*c));
}

static void test_nobody_answers(void **state)
{
	struct worker_control *c = new_control();
	struct address_description d = { .cell = 7 };

	(void)state;
	assert_int_equal(fault_questions_ask(c, 5, 1, &d), -1);
	assert_int_equal(d.cell, 7);
	munmap(c, sizeof(*c));
}

static enum debug_command commands[] = { DEBUG_NEXT, DEBUG_CONTINUE, DEBUG_STEP_OUT };

/* A worker that stands once for each command, and ends with how many it has heard as they were. */
static _Noreturn void stand(struct worker_control *c)
{
	int right = 0;

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		atomic_fetch_add(&c->debug.stops, 1);
		right += debug_stop_await(c, describe) == commands[i];
	}
	_exit(right);
}

static void test_a_stop_answers_until_it_is_over(void **state)
{
	struct worker_control *c = new_control();
	struct address_description d;
	pid_t child = fork();
	int status;

	(void)state;
	if (!child)
		stand(c);
	for (uint32_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		/* It answers when it stands, and not before. */
		assert_int_equal(fault_questions_ask(c, 16 * i + 5, DEADLINE_MS, &d), 0);
		assert_int_equal(d.base, 16 * i);
		assert_int_equal(atomic_load(&c->debug.stops), i + 1);
		debug_stop_resume(c, commands[i]);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 3);
	munmap(c, sizeof(*c));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_question_has_its_answer),
		cmocka_unit_test(test_nobody_answers),
		cmocka_unit_test(test_a_stop_answers_until_it_is_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
