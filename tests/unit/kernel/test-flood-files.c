/* SPDX-License-Identifier: Apache-2.0 */
/* struct flood_files: when there is a file, what is in it, and what is said when there is none. */
#include <fcntl.h>
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

#include "kernel/show/flood-files.h"

#define LINE "0123456789abcde\n"

static char base[64], folder[96];

static int set_up(void **state)
{
	(void)state;
	strcpy(base, "/tmp/cgpu-flood-XXXXXX");
	if (!mkdtemp(base))
		return -1;
	snprintf(folder, sizeof(folder), "%s/files", base);
	return 0;
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", base);
	return system(command);
}

static uint64_t size_of(const char *name)
{
	char path[160];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return stat(path, &st) ? UINT64_MAX : (uint64_t)st.st_size;
}

/* Runs a cell that prints so many lines, and tells what is said of its file. */
static void flood(struct flood_files *f, uint32_t cell, size_t lines, bool is_flood,
		  struct buffer *said)
{
	buffer_clear(said);
	flood_files_begin(f, cell, 1000);
	for (size_t i = 0; i < lines; i++)
		flood_files_add(f, LINE, strlen(LINE));
	flood_files_end(f, is_flood, said);
}

static void only_a_flood_has_one(void **state)
{
	const size_t large = 2 * FLOOD_FILES_WAIT / strlen(LINE);
	cleanup_buffer struct buffer said = BUFFER_INIT;
	struct flood_files f;

	(void)state;
	flood_files_init(&f, folder, 64 << 20);
	flood(&f, 1, 10, false, &said);
	assert_int_equal(access(folder, F_OK), -1);
	flood(&f, 2, large, false, &said);
	assert_string_equal(buffer_text(&said), "");
	assert_int_equal(size_of("In2.txt"), UINT64_MAX);
	flood(&f, 3, 10, true, &said);
	assert_non_null(strstr(said.data, "all output is in "));
	assert_non_null(strstr(said.data, "/files/In3.txt"));
	assert_int_equal(size_of("In3.txt"), 10 * strlen(LINE));
	flood(&f, 3, large, true, &said);
	assert_int_equal(size_of("In3-2.txt"), large * strlen(LINE));
	assert_int_equal(size_of("In3.txt"), 10 * strlen(LINE));
	flood_files_release(&f);
}

static void the_oldest_make_room(void **state)
{
	cleanup_buffer struct buffer said = BUFFER_INIT;
	struct flood_files f;

	(void)state;
	flood_files_init(&f, folder, 100 * strlen(LINE));
	for (uint32_t cell = 11; cell <= 13; cell++)
		flood(&f, cell, 40, true, &said);
	assert_int_equal(size_of("In11.txt"), UINT64_MAX);
	assert_int_equal(size_of("In12.txt"), 40 * strlen(LINE));
	assert_int_equal(size_of("In13.txt"), 40 * strlen(LINE));
	flood(&f, 14, 200, true, &said);
	assert_non_null(strstr(said.data, "the first 1.6 KB of all output are in "));
	assert_int_equal(size_of("In13.txt"), UINT64_MAX);
	assert_int_equal(size_of("In14.txt"), 100 * strlen(LINE));
	assert_int_equal(f.size, 100 * strlen(LINE));
	flood_files_release(&f);
}

static void where_there_is_none_the_reason_is_told(void **state)
{
	cleanup_buffer struct buffer said = BUFFER_INIT;
	struct flood_files f;
	char gone[160];

	(void)state;
	snprintf(gone, sizeof(gone), "%s/gone/files", base);
	flood_files_init(&f, gone, 64 << 20);
	flood(&f, 1, 10, true, &said);
	assert_non_null(strstr(said.data, "no file has it: cannot make "));
	assert_non_null(strstr(said.data, "No such file or directory"));
	flood_files_release(&f);
	flood_files_init(&f, folder, 1000);
	flood(&f, 1, 10, true, &said);
	assert_non_null(strstr(said.data, "no more than a cell shows"));
	flood_files_release(&f);
	flood_files_init(&f, folder, 0);
	flood(&f, 1, 10, true, &said);
	assert_string_equal(said.data, "");
	flood_files_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_a_flood_has_one),
		cmocka_unit_test(the_oldest_make_room),
		cmocka_unit_test(where_there_is_none_the_reason_is_told),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
