/* SPDX-License-Identifier: Apache-2.0 */
/* Where things are that were hidden: moved, removed, made again, in one another. */
#define _GNU_SOURCE
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/record.h"
#include "common/sandbox/hidden-path.h"
#include "kernel/sandbox/hidden-paths.h"

static char folder[64];

static const char *in_folder(const char *name)
{
	static char paths[4][PATH_MAX];
	static unsigned n;
	char *path = paths[n++ % 4];

	snprintf(path, PATH_MAX, "%s/%s", folder, name);
	return path;
}

static void make_file(const char *name)
{
	assert_int_equal(mknod(in_folder(name), S_IFREG | 0600, 0), 0);
}

static void make_folder(const char *name)
{
	assert_int_equal(mkdir(in_folder(name), 0700), 0);
}

static void move(const char *from, const char *to)
{
	assert_int_equal(rename(in_folder(from), in_folder(to)), 0);
}

static int set_up(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/cgpu-hidden-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	make_folder("a");
	make_folder("a/b");
	make_file("a/b/file");
	return 0;
}

static int tear_down(void **state)
{
	char command[100];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

/* The only one is said to be there, and can be opened as that. */
static void expect_at(struct hidden_paths *h, const char *name)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;
	struct hidden_path found;
	struct record r;
	int fd;

	hidden_paths_put_one(h, &b);
	r = record_open(b.data, b.len);
	found = hidden_path_read(&r);
	assert_int_equal(record_check(&r, "a hidden path", NULL), 0);
	assert_string_equal(found.path, *name ? in_folder(name) : "");
	if (!*name)
		return;
	fd = hidden_path_open(&found, NULL);
	assert_true(fd >= 0);
	close(fd);
}

static void test_it_is_followed_where_it_is_moved(void **state)
{
	struct hidden_paths h = { 0 };

	(void)state;
	assert_true(hidden_paths_add(&h, in_folder("a/b/file")));
	expect_at(&h, "a/b/file");
	move("a/b/file", "a/b/other");
	expect_at(&h, "a/b/other");
	move("a", "c");
	expect_at(&h, "c/b/other");
	make_folder("a");
	make_folder("a/b");
	make_file("a/b/file");
	expect_at(&h, "c/b/other");
	hidden_paths_release(&h);
}

/* As a client does that writes the file anew. */
static void test_what_is_made_again_after_it_was_removed(void **state)
{
	struct hidden_paths h = { 0 };

	(void)state;
	assert_true(hidden_paths_add(&h, in_folder("a/b/file")));
	assert_int_equal(unlink(in_folder("a/b/file")), 0);
	expect_at(&h, "");
	make_file("a/b/file");
	expect_at(&h, "a/b/file");
	hidden_paths_release(&h);
}

static void test_what_is_made_later(void **state)
{
	struct hidden_paths h = { 0 };

	(void)state;
	assert_true(hidden_paths_add(&h, in_folder("later")));
	expect_at(&h, "");
	make_folder("later");
	expect_at(&h, "later");
	move("later", "moved");
	expect_at(&h, "moved");
	hidden_paths_release(&h);
}

/* What is covered by a cover need not be covered, and could not be found. */
static void test_what_lies_in_another_one(void **state)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;
	struct hidden_paths h = { 0 };
	struct record r;

	(void)state;
	make_folder("bb");
	assert_true(hidden_paths_add(&h, in_folder("a/b/file")));
	assert_true(hidden_paths_add(&h, in_folder("bb")));
	assert_true(hidden_paths_add(&h, in_folder("a")));
	assert_false(hidden_paths_add(&h, in_folder("a/b")));
	assert_false(hidden_paths_add(&h, in_folder("bb")));
	assert_true(hidden_paths_has(&h, in_folder("a/b/file")));
	assert_false(hidden_paths_has(&h, in_folder("b")));
	hidden_paths_put(&h, &b);
	r = record_open(b.data, b.len);
	assert_int_equal(record_u32(&r), 2);
	assert_string_equal(hidden_path_read(&r).path, in_folder("bb"));
	assert_string_equal(hidden_path_read(&r).path, in_folder("a"));
	hidden_paths_release(&h);
}

/* Between the kernel process's look and that of the process that hides it. */
static void test_what_is_moved_just_then(void **state)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;
	struct error err = ERROR_INIT;
	struct hidden_paths h = { 0 };
	struct hidden_path found;
	struct record r;

	(void)state;
	assert_true(hidden_paths_add(&h, in_folder("a/b")));
	hidden_paths_put_one(&h, &b);
	r = record_open(b.data, b.len);
	found = hidden_path_read(&r);
	move("a/b", "a/other");
	assert_int_equal(hidden_path_open(&found, &err), -1);
	assert_int_equal(err.code, ERROR_STATE);
	make_folder("a/b");
	assert_int_equal(hidden_path_open(&found, NULL), -1);
	assert_int_equal(rmdir(in_folder("a/b")) || symlink("other", in_folder("a/b")), 0);
	assert_int_equal(hidden_path_open(&found, NULL), -1);
	hidden_paths_release(&h);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(test_it_is_followed_where_it_is_moved),
		TEST(test_what_is_made_again_after_it_was_removed),
		TEST(test_what_is_made_later),
		TEST(test_what_lies_in_another_one),
		TEST(test_what_is_moved_just_then),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
