/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that share a device, by one file: several in this process, and others that are killed and
 * stopped with real signals. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "kernel/share/share.h"

#define TOTAL 100

static const uint8_t gpu[SHARE_UUID_SIZE] = "the only GPU",
		     other_gpu[SHARE_UUID_SIZE] = "another one";
static char dir[64], path[128];

static int set_up(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/cgpu-share-XXXXXX");
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/a/b/share", dir);
	return 0;
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command);
}

static void enter(struct share *s, const char *name)
{
	struct error err = ERROR_INIT;

	if (share_open(s, path, name, &err))
		fail_msg("%s", err.text);
}

static enum share_answer ask(struct share *s, const uint8_t *device, uint64_t bytes, bool waits)
{
	struct share_request r = {
		.device = device, .total = TOTAL, .bytes = bytes, .waits = waits
	};
	struct error err = ERROR_INIT;
	enum share_answer answer;

	if (share_ask(s, &r, &answer, &err))
		fail_msg("%s", err.text);
	return answer;
}

static void hold(struct share *s, uint64_t bytes)
{
	struct error err = ERROR_INIT;

	if (share_hold(s, gpu, bytes, &err))
		fail_msg("%s", err.text);
}

static void check_table(struct share *s, const char *expected)
{
	struct buffer table = BUFFER_INIT;

	assert_int_equal(share_table(s, gpu, &table, NULL, NULL), 0);
	assert_string_equal(buffer_text(&table), expected);
	buffer_release(&table);
}

static void what_is_taken_is_not_given_twice(void **state)
{
	struct share a, b;

	(void)state;
	enter(&a, "a.ipynb");
	enter(&b, "b.ipynb");
	assert_int_equal(ask(&a, gpu, 60, false), SHARE_GRANTED);
	assert_int_equal(ask(&b, gpu, 41, false), SHARE_FULL);
	assert_int_equal(ask(&b, other_gpu, 41, false), SHARE_GRANTED);
	assert_int_equal(ask(&b, gpu, 40, false), SHARE_GRANTED);
	assert_int_equal(ask(&b, gpu, 1, false), SHARE_FULL);
	hold(&a, 59);
	assert_int_equal(ask(&b, gpu, 1, false), SHARE_GRANTED);
	share_close(&a);
	assert_int_equal(ask(&b, gpu, 59, false), SHARE_GRANTED);
	share_close(&b);
}

static void those_who_wait_are_served_in_their_order(void **state)
{
	struct share a, b, c;
	uint64_t wanted;

	(void)state;
	enter(&a, "a.ipynb");
	enter(&b, "b.ipynb");
	enter(&c, "c.ipynb");
	assert_int_equal(ask(&a, gpu, 60, false), SHARE_GRANTED);
	assert_int_equal(share_wanted(&a, gpu, &wanted, NULL), 0);
	assert_int_equal(wanted, 0);
	assert_int_equal(ask(&b, gpu, 50, true), SHARE_QUEUED);
	/* It would fit, but then the one in front of it could wait for ever. */
	assert_int_equal(ask(&c, gpu, 30, true), SHARE_QUEUED);
	assert_int_equal(share_wanted(&a, gpu, &wanted, NULL), 0);
	assert_int_equal(wanted, 50);
	hold(&a, 50);
	assert_int_equal(ask(&c, gpu, 30, true), SHARE_QUEUED);
	assert_int_equal(ask(&b, gpu, 50, true), SHARE_GRANTED);
	assert_int_equal(ask(&c, gpu, 30, true), SHARE_QUEUED);
	/* One that gives up is in nobody's way. */
	hold(&a, 0);
	assert_int_equal(ask(&a, gpu, 50, true), SHARE_QUEUED);
	assert_int_equal(share_leave_queue(&c, NULL), 0);
	assert_int_equal(ask(&a, gpu, 50, true), SHARE_GRANTED);
	share_close(&a);
	share_close(&b);
	share_close(&c);
}

static void one_that_comes_back_waits_for_those_who_give(void **state)
{
	struct share_request r = { .device = gpu, .total = TOTAL, .bytes = 50, .returns = true };
	enum share_answer answer;
	char expected[160];
	struct share a, b;

	(void)state;
	enter(&a, "a.ipynb");
	enter(&b, "b.ipynb");
	assert_int_equal(share_park(&b, gpu, 50, NULL), 0);
	assert_int_equal(ask(&a, gpu, 60, false), SHARE_GRANTED);
	/* At work, or idle and not willing: there is nothing to wait for. */
	assert_int_equal(share_ask(&b, &r, &answer, NULL), 0);
	assert_int_equal(answer, SHARE_FULL);
	assert_int_equal(share_note_idle(&a, true, true, NULL), 0);
	assert_int_equal(share_ask(&b, &r, &answer, NULL), 0);
	assert_int_equal(answer, SHARE_QUEUED);
	snprintf(expected, sizeof(expected),
		 "       60 B  a.ipynb, process %d\n        0 B  b.ipynb (this one), has parked 50 "
		 "B, waits for 50 B more\n",
		 (int)getpid());
	check_table(&b, expected);
	hold(&a, 0);
	assert_int_equal(share_ask(&b, &r, &answer, NULL), 0);
	assert_int_equal(answer, SHARE_GRANTED);
	share_close(&a);
	share_close(&b);
}

/* Each question that wrote would have all who wait ask again, this one too, for as long as they
 * wait. */
static void who_waits_says_so_once(void **state)
{
	struct pollfd p = { .events = POLLIN };
	struct share a, b;

	(void)state;
	enter(&a, "a.ipynb");
	enter(&b, "b.ipynb");
	assert_int_equal(ask(&a, gpu, 60, false), SHARE_GRANTED);
	share_file_drain(&a.file);
	assert_int_equal(ask(&b, gpu, 50, true), SHARE_QUEUED);
	p.fd = a.file.watch;
	assert_int_equal(poll(&p, 1, 60000), 1);
	share_file_drain(&a.file);
	assert_int_equal(ask(&b, gpu, 50, true), SHARE_QUEUED);
	assert_int_equal(poll(&p, 1, 0), 0);
	share_close(&a);
	share_close(&b);
}

static void nobody_waits_for_those_who_wait_for_him(void **state)
{
	struct share a, b;

	(void)state;
	enter(&a, "a.ipynb");
	enter(&b, "b.ipynb");
	assert_int_equal(ask(&a, gpu, 50, false), SHARE_GRANTED);
	assert_int_equal(ask(&b, gpu, 40, false), SHARE_GRANTED);
	assert_int_equal(ask(&a, gpu, 20, true), SHARE_QUEUED);
	assert_int_equal(ask(&b, gpu, 20, true), SHARE_DEADLOCK);
	hold(&b, 0);
	assert_int_equal(ask(&a, gpu, 20, true), SHARE_GRANTED);
	/* What can never be there is not waited for. */
	assert_int_equal(ask(&a, gpu, 31, true), SHARE_FULL);
	share_close(&a);
	share_close(&b);
}

/* Another kernel, which takes all of the device and then does what `after` says until it is killed.
 */
static pid_t start_another(void (*after)(struct share *s))
{
	int ready[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	pid = fork();
	if (!pid) {
		struct share s;

		enter(&s, "other.ipynb");
		ask(&s, gpu, TOTAL, false);
		if (after)
			after(&s);
		if (write(ready[1], "x", 1) == 1)
			pause();
		_exit(1);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return pid;
}

static void end_another(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void the_dead_hold_nothing(void **state)
{
	struct pollfd p = { .events = POLLIN };
	char expected[128];
	struct share a;
	pid_t pid;

	(void)state;
	enter(&a, "a.ipynb");
	pid = start_another(NULL);
	assert_int_equal(ask(&a, gpu, 10, true), SHARE_QUEUED);
	snprintf(expected, sizeof(expected),
		 "      100 B  other.ipynb, process %d\n        0 B  a.ipynb (this one), waits for "
		 "10 B more\n",
		 (int)pid);
	check_table(&a, expected);
	share_file_drain(&a.file);
	p.fd = a.file.watch;
	assert_int_equal(poll(&p, 1, 0), 0);
	end_another(pid);
	assert_int_equal(poll(&p, 1, 180000), 1);
	assert_int_equal(ask(&a, gpu, 10, true), SHARE_GRANTED);
	check_table(&a, "       10 B  a.ipynb (this one)\n");
	share_close(&a);
}

static void lock_it(struct share *s)
{
	if (share_file_lock(&s->file, &s->own, NULL))
		_exit(1);
}

static void one_that_stands_still_stops_nobody(void **state)
{
	struct share_request r = { .device = gpu, .total = TOTAL, .bytes = 1 };
	struct error err = ERROR_INIT;
	enum share_answer answer;
	struct share a;
	pid_t pid;

	(void)state;
	enter(&a, "a.ipynb");
	pid = start_another(lock_it);
	assert_int_equal(share_ask(&a, &r, &answer, &err), -1);
	assert_int_equal(err.code, ERROR_TIMEOUT);
	assert_string_equal(err.text,
			    "the list of notebooks on this machine's GPUs is locked by a kernel "
			    "that does not go on; is one of them stopped (SIGSTOP)?");
	end_another(pid);
	assert_int_equal(share_ask(&a, &r, &answer, &err), 0);
	assert_int_equal(answer, SHARE_GRANTED);
	share_close(&a);
}

static void a_file_of_another_version_is_refused(void **state)
{
	struct error err = ERROR_INIT;
	struct share a, b;
	int fd;

	(void)state;
	enter(&b, "b.ipynb");
	fd = open(path, O_WRONLY);
	assert_int_equal(pwrite(fd, "\xff", 1, 8), 1);
	assert_int_equal(share_open(&a, path, "a.ipynb", &err), -1);
	assert_int_equal(err.code, ERROR_STATE);
	assert_non_null(strstr(err.text, "another version of cgpu has made it"));
	/* When the last of them is gone, it is nobody's. */
	share_close(&b);
	enter(&a, "a.ipynb");
	share_close(&a);
	/* What is no list at all is left alone. */
	assert_int_equal(pwrite(fd, "letter", 6, 0), 6);
	assert_int_equal(share_open(&a, path, "a.ipynb", &err), -1);
	assert_non_null(strstr(err.text, "it is something else than a list of notebooks"));
	assert_int_equal(pwrite(fd, "cgpu-g", 6, 0), 6);
	close(fd);
	assert_int_equal(truncate(path, 3), 0);
	enter(&a, "a.ipynb");
	share_close(&a);
}

static void what_is_damaged_is_mended_by_those_in_it(void **state)
{
	char expected[160];
	struct share a, b, c;

	(void)state;
	enter(&a, "a.ipynb");
	enter(&b, "b.ipynb");
	assert_int_equal(ask(&a, gpu, 60, false), SHARE_GRANTED);
	assert_int_equal(ask(&b, gpu, 30, false), SHARE_GRANTED);
	for (off_t left = 0; left < 5000; left += 700) {
		assert_int_equal(truncate(path, left), 0);
		hold(&a, (uint64_t)(left % 2 ? 60 : 59));
		hold(&b, (uint64_t)(left % 2 ? 30 : 29));
		hold(&a, 60);
		hold(&b, 30);
		enter(&c, "c.ipynb");
		assert_int_equal(ask(&c, gpu, 11, false), SHARE_FULL);
		assert_int_equal(ask(&c, gpu, 10, false), SHARE_GRANTED);
		share_close(&c);
	}
	/* Removed: all meet in a new one. */
	assert_int_equal(unlink(path), 0);
	enter(&c, "c.ipynb");
	assert_int_equal(ask(&a, gpu, 1, false), SHARE_GRANTED);
	assert_int_equal(ask(&c, gpu, 40, false), SHARE_FULL);
	hold(&b, 29);
	assert_int_equal(ask(&c, gpu, 11, false), SHARE_FULL);
	assert_int_equal(ask(&c, gpu, 10, false), SHARE_GRANTED);
	snprintf(expected, sizeof(expected),
		 "       61 B  a.ipynb, process %d\n       29 B  b.ipynb, process %d\n"
		 "       10 B  c.ipynb (this one)\n",
		 (int)getpid(), (int)getpid());
	check_table(&c, expected);
	share_file_drain(&a.file);
	hold(&c, 1);
	assert_int_equal(poll(&(struct pollfd){ .fd = a.file.watch, .events = POLLIN }, 1, 60000),
			 1);
	share_close(&a);
	share_close(&b);
	share_close(&c);
}

static void where_there_is_no_place_for_the_file_it_is_said(void **state)
{
	struct share_request r = { .device = gpu, .total = TOTAL, .bytes = 1 };
	struct error err = ERROR_INIT;
	enum share_answer answer;
	char parent[128];
	struct share a;

	(void)state;
	enter(&a, "a.ipynb");
	assert_int_equal(unlink(path), 0);
	snprintf(parent, sizeof(parent), "%s/a/b", dir);
	assert_int_equal(rmdir(parent), 0);
	assert_int_equal(symlink("/proc", parent), 0);
	assert_int_equal(share_ask(&a, &r, &answer, &err), -1);
	assert_int_not_equal(err.code, ERROR_TIMEOUT);
	assert_non_null(strstr(err.text, path));
	share_close(&a);
	assert_int_equal(unlink(parent), 0);
}

/* A table of one line each, whatever others have written. */
static void names_of_others_are_text(void **state)
{
	char expected[160];
	struct share a, b;

	(void)state;
	enter(&a, "a.ipynb");
	enter(&b, "b\n\033[2J\xff\xe0\x80\x80\xc3\xbc\xe2\x82\xac.ipynb\xc3");
	assert_int_equal(ask(&b, gpu, 10, false), SHARE_GRANTED);
	snprintf(expected, sizeof(expected),
		 "       10 B  b??[2J????\xc3\xbc\xe2\x82\xac.ipynb?, process %d\n", (int)getpid());
	check_table(&a, expected);
	share_close(&a);
	share_close(&b);
}

/* All that somebody may write into the file: it is taken as it is, mended or refused, and always in
 * bounds. */
static void random_bytes_harm_nobody(void **state)
{
	struct share_request r = { .device = gpu, .total = TOTAL, .bytes = 1, .waits = true };
	unsigned seed = 1, entered = 0, answered = 0;
	struct share a, b;

	(void)state;
	enter(&a, "a.ipynb");
	for (int i = 0; i < 2000; i++) {
		struct error err = ERROR_INIT;
		struct buffer table = BUFFER_INIT;
		unsigned char bytes[64];
		enum share_answer answer;
		uint64_t wanted;
		int fd = open(path, O_WRONLY);
		off_t at = rand_r(&seed) % 4000;

		for (size_t k = 0; k < sizeof(bytes); k++)
			bytes[k] = rand_r(&seed) % 4 ? (unsigned char)rand_r(&seed) : 0xff;
		assert_int_equal(pwrite(fd, bytes, sizeof(bytes), i % 3 ? at : 0), sizeof(bytes));
		if (i % 7 == 0)
			assert_int_equal(ftruncate(fd, rand_r(&seed) % 9000), 0);
		close(fd);
		if (!share_open(&b, path, "b.ipynb", &err)) {
			entered++;
			fd = open(path, O_WRONLY);
			assert_int_equal(pwrite(fd, bytes, sizeof(bytes), at), sizeof(bytes));
			close(fd);
		} else {
			assert_true(err.text[0]);
			b.file = (struct share_file)SHARE_FILE_INIT;
		}
		assert_int_equal(share_glance(&a, gpu, &table, NULL, &err), 0);
		assert_int_equal(share_ask(&a, &r, &answer, &err), 0);
		answered += answer == SHARE_GRANTED;
		assert_int_equal(share_wanted(&a, gpu, &wanted, &err), 0);
		assert_int_equal(share_table(&a, gpu, &table, NULL, &err), 0);
		assert_int_equal(share_hold(&a, gpu, (uint64_t)(i % 50), &err), 0);
		buffer_release(&table);
		share_close(&b);
	}
	assert_true(entered > 100 && answered > 100);
	share_close(&a);
}

static void all_slots_can_be_taken_and_are_free_again(void **state)
{
	static struct share s[SHARE_SLOTS + 1];
	struct error err = ERROR_INIT;
	char expected[64];

	(void)state;
	for (int i = 0; i < SHARE_SLOTS; i++)
		enter(&s[i], "one of many");
	assert_int_equal(share_open(&s[SHARE_SLOTS], path, "one too many", &err), -1);
	assert_non_null(strstr(err.text, "256 kernels use it already"));
	share_close(&s[7]);
	enter(&s[SHARE_SLOTS], "in its place");
	assert_int_equal(s[SHARE_SLOTS].file.slot, 7);
	assert_int_equal(ask(&s[SHARE_SLOTS], gpu, 1, false), SHARE_GRANTED);
	snprintf(expected, sizeof(expected), "        1 B  in its place, process %d\n",
		 (int)getpid());
	check_table(&s[0], expected);
	for (int i = 0; i <= SHARE_SLOTS; i++)
		share_close(&s[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_is_taken_is_not_given_twice, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(those_who_wait_are_served_in_their_order, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(one_that_comes_back_waits_for_those_who_give,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(who_waits_says_so_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(nobody_waits_for_those_who_wait_for_him, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(the_dead_hold_nothing, set_up, tear_down),
		cmocka_unit_test_setup_teardown(one_that_stands_still_stops_nobody, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_file_of_another_version_is_refused, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_is_damaged_is_mended_by_those_in_it, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(where_there_is_no_place_for_the_file_it_is_said,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(names_of_others_are_text, set_up, tear_down),
		cmocka_unit_test_setup_teardown(random_bytes_harm_nobody, set_up, tear_down),
		cmocka_unit_test_setup_teardown(all_slots_can_be_taken_and_are_free_again, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
