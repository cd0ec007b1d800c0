/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who needs a file that a child makes while nothing is to be done gets it once: from the child, or
 * with the child gone. Real processes; the "header" is a file that a child makes under another name
 * and renames.
 */
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "compiler/session/header-ahead.h"

static char folder[] = "/tmp/cgpu-test-header-ahead-XXXXXX", first[PATH_MAX], second[PATH_MAX],
	    facts[PATH_MAX];

static void make_file(const char *path)
{
	char part[PATH_MAX + 8];
	FILE *f;

	snprintf(part, sizeof(part), "%s.part", path);
	f = fopen(part, "w");
	if (!f || fclose(f) || rename(part, path))
		_exit(EXIT_FAILURE);
}

/* In each child: how it stands, for the test to look at. */
static void note_facts(void)
{
	FILE *f = fopen(facts, "w");

	if (!f)
		_exit(EXIT_FAILURE);
	fprintf(f, "%d %d\n", (int)getpid(), getpriority(PRIO_PROCESS, 0));
	fclose(f);
}

static void make_both(void *unused)
{
	(void)unused;
	note_facts();
	make_file(first);
	make_file(second);
}

static void make_nothing(void *unused)
{
	(void)unused;
}

/* As on a machine whose processors are all taken. */
static void get_no_time(void *unused)
{
	(void)unused;
	note_facts();
	for (;;)
		pause();
}

static void make_first_and_go_on(void *unused)
{
	(void)unused;
	make_file(first);
	for (;;)
		;
}

static bool there_is(const char *path)
{
	return !access(path, R_OK);
}

static void begin(void (*make)(void *context))
{
	header_ahead_begin((const char *const[]){ first, second }, 2, make, NULL);
}

static void nobody_waits_for_what_nobody_makes(void **state)
{
	pid_t ended;

	(void)state;
	assert_false(header_ahead_wait(first, &ended));
	assert_int_equal(ended, 0);
	begin(get_no_time);
	assert_false(header_ahead_wait("/another/one", &ended));
	assert_int_equal(ended, 0);
	header_ahead_stop();
	assert_false(header_ahead_wait(first, &ended));
}

/* Either is right, by what the machine has to do; a file that is there after the child was ended is
 * whole. */
static void one_who_waits_has_it_or_makes_it(void **state)
{
	pid_t ended;

	(void)state;
	begin(make_both);
	assert_true(header_ahead_wait(second, &ended));
	assert_true(there_is(second) || ended);
	if (ended) {
		assert_int_equal(kill(ended, 0), -1);
		assert_int_equal(errno, ESRCH);
	}
}

static void a_child_that_fails_is_no_help(void **state)
{
	pid_t ended;

	(void)state;
	begin(make_nothing);
	assert_true(header_ahead_wait(first, &ended));
	assert_false(there_is(first));
}

static void a_child_without_a_processor_is_ended(void **state)
{
	pid_t ended;

	(void)state;
	begin(get_no_time);
	assert_true(header_ahead_wait(first, &ended));
	assert_true(ended > 0);
	assert_int_equal(kill(ended, 0), -1);
	assert_int_equal(errno, ESRCH);
	assert_false(header_ahead_wait(first, &ended));
}

/* It is at work on the second one, which is not asked for. */
static void what_is_there_is_not_waited_for(void **state)
{
	pid_t ended;

	(void)state;
	begin(make_first_and_go_on);
	assert_true(header_ahead_wait(first, &ended));
	assert_true(there_is(first) || ended);
	header_ahead_stop();
}

/* The child of a process that is gone: who gets it is told how it ended. */
static void it_ends_with_its_parent(void **state)
{
	int pipe_of[2], status;
	char byte;
	pid_t parent, child = 0;
	FILE *f;

	(void)state;
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	assert_int_equal(pipe(pipe_of), 0);
	parent = fork();
	if (!parent) {
		begin(get_no_time);
		close(pipe_of[1]);
		for (;;)
			pause();
	}
	close(pipe_of[1]);
	assert_int_equal(read(pipe_of[0], &byte, 1),
			 0); /* the child has closed all that it does not need */
	close(pipe_of[0]);
	for (int pid = 0; !pid;) {
		f = fopen(facts, "r");
		if (f && fscanf(f, "%d", &pid) == 1)
			child = pid;
		if (f)
			fclose(f);
	}
	kill(parent, SIGKILL);
	assert_int_equal(waitpid(parent, &status, 0), parent);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void it_works_at_low_priority(void **state)
{
	int pid, priority = 0;
	pid_t ended;
	FILE *f;

	(void)state;
	do {
		begin(make_both);
		header_ahead_wait(second, &ended);
		header_ahead_stop();
	} while (ended && !there_is(facts));
	f = fopen(facts, "r");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%d %d", &pid, &priority), 2);
	fclose(f);
	assert_int_equal(priority, 19);
}

static int make_folder(void **state)
{
	(void)state;
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(first, sizeof(first), "%s/first", folder);
	snprintf(second, sizeof(second), "%s/second", folder);
	snprintf(facts, sizeof(facts), "%s/facts", folder);
	return 0;
}

static int drop_folder(void **state)
{
	char command[100];

	(void)state;
	header_ahead_stop();
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, drop_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(nobody_waits_for_what_nobody_makes),
		TEST(one_who_waits_has_it_or_makes_it),
		TEST(a_child_that_fails_is_no_help),
		TEST(a_child_without_a_processor_is_ended),
		TEST(what_is_there_is_not_waited_for),
		TEST(it_ends_with_its_parent),
		TEST(it_works_at_low_priority),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
