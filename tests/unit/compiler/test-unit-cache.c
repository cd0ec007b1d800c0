/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Units from the disk: the same as a compilation gives, never one that was made of something else,
 * and never more of them than the limit.
 */
#include <dirent.h>
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

#include "common/base/cleanup.h"
#include "config.h"
#include "tests/unit/compiler/compiler-fixture.h"

/* Was the unit found? What is found is used again, and only that has a key. */
static bool is_kept(const char *text, const char *cflags, uint32_t cell,
		    const struct declaration *d)
{
	struct compiler c = compiler_fixture_start();
	struct compile_request request = { .cell = cell,
					   .cell_name = "In[3]",
					   .text = text,
					   .cflags = cflags,
					   .nvflags = "",
					   .sm = 75 };
	struct compile_result result;
	bool found;

	if (d)
		assert_int_equal(session_set(&c.session, 0, d, NULL), 0);
	assert_int_equal(compiler_compile(&c, &request, &result, NULL), 0);
	assert_true(result.ok);
	found = *c.cache.found.text;
	compile_result_release(&result);
	compiler_rest(&c);
	compiler_release(&c);
	return found;
}

static void test_the_same_unit(void **state)
{
	static const char *const cells[] = {
		"1 + 2",
		"int kept = 3;",
		"double s = 0;\nfor (int i = 0; i < 9; i++) s += i;\ns",
		"int f(int x) { return x + 1; }\nf(2)",
		"#include <vector>\nstd::vector<int> list{ 1, 2 };\nlist",
		"__global__ void k(int *p) { *p = 1; }\nint *p;\nk<<<1, 1>>>(p);"
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++) {
		struct compiler c = compiler_fixture_start(), again = compiler_fixture_start();
		struct compile_result made = compiler_fixture_compile(&c, 3, cells[i], ""), found;
		struct compile_request request = { .cell = 3,
						   .cell_name = "In[3]",
						   .text = cells[i],
						   .cflags = "",
						   .nvflags = "",
						   .sm = 75 };

		assert_int_equal(compiler_compile(&again, &request, &found, NULL), 0);
		assert_true(*again.cache.found.text);
		assert_int_equal(made.unit.len, found.unit.len);
		assert_memory_equal(made.unit.data, found.unit.data, found.unit.len);
		compile_result_release(&made);
		compile_result_release(&found);
		compiler_release(&c);
		compiler_release(&again);
	}
}

static void test_made_of_something_else(void **state)
{
	const struct declaration one = { .kind = DECLARATION_TAG,
					 .name = "pair",
					 .host = "struct pair { int a; };",
					 .device = "" };
	const struct declaration two = { .kind = DECLARATION_TAG,
					 .name = "pair",
					 .host = "struct pair { int a, b; };",
					 .device = "" };

	(void)state;
	assert_false(is_kept("sizeof(struct pair)", "", 4, &one));
	assert_true(is_kept("sizeof(struct pair)", "", 4, &one));
	assert_false(is_kept("sizeof(struct pair)", "", 4, &two));
	assert_false(is_kept("sizeof(struct pair)", "", 5, &one));
	assert_false(is_kept("sizeof(struct pair)", "-DANY", 4, &one));
	assert_false(is_kept("sizeof( struct pair)", "", 4, &one));
	for (int i = 0; i < 2; i++) {
		assert_false(is_kept("__TIME__", "", 6, NULL));
		assert_false(is_kept("#include <complex.h>\n1", "", 7, NULL));
		assert_false(is_kept("int first;\nif (first = 3) first++;", "", 8,
				     NULL)); /* with a warning */
	}
}

static void test_made_of_something_else_in_cpp(void **state)
{
	static const char cell[] = "%%cpp\ntwice(2)";
	const struct declaration one = { .kind = DECLARATION_CPP,
					 .name = "twice(int)",
					 .device = "twice",
					 .host = "inline int twice(int x) { return 2 * x; }" };
	const struct declaration two = { .kind = DECLARATION_CPP,
					 .name = "twice(int)",
					 .device = "twice",
					 .host = "inline int twice(int x) { return x + x; }" };

	(void)state;
	assert_false(is_kept(cell, "", 4, &one));
	assert_true(is_kept(cell, "", 4, &one));
	assert_false(is_kept(cell, "", 4, &two));
	assert_false(is_kept(cell, "", 5, &one));
	assert_false(is_kept(cell, "-DANY", 4, &one));
	for (int i = 0; i < 2; i++) {
		assert_false(is_kept("%%cpp\n__TIME__", "", 6, NULL));
		assert_false(
			is_kept("%%cpp\n#if __has_include(\"none.h\")\n#endif\n1", "", 7, NULL));
		assert_false(is_kept("%%cpp\n#/**/include \"/dev/null\"\n1", "", 10, NULL));
		assert_false(is_kept("%%cpp\n#if 1\n# include <bitset>\n#endif\n1", "", 8,
				     NULL)); /* in no precompiled header */
		assert_false(
			is_kept("%%cpp\nint first() { int unused; return 1; }", "-Wall", 9, NULL));
	}
}

static size_t files(const char *path, char last[300])
{
	cleanup_dir DIR *d = opendir(path);
	struct dirent *e;
	size_t n = 0;

	while (d && (e = readdir(d)))
		if (e->d_name[0] != '.' && ++n)
			snprintf(last, 300, "%s/%.200s", path, e->d_name);
	return n;
}

static void test_damaged(void **state)
{
	char path[100], file[300];
	struct unit_cache_key key;
	struct unit_cache c;
	struct buffer unit = BUFFER_INIT, got = BUFFER_INIT;
	struct stat st;

	(void)state;
	snprintf(path, sizeof(path), "%s/damaged", compiler_fixture_folder());
	unit_cache_init(&c, path, 1 << 20);
	unit_cache_key_make(&key, (const char *[]){ "a", "b" }, (size_t[]){ 1, 1 }, 2);
	buffer_puts(&unit, "what a unit is");
	unit_cache_put(&c, &key, &unit);
	assert_false(unit_cache_get(&c, &key, &got));
	unit_cache_rest(&c);
	assert_true(unit_cache_get(&c, &key, &got));
	assert_string_equal(buffer_text(&got), "what a unit is");
	assert_int_equal(files(path, file), 1);
	assert_int_equal(stat(file, &st), 0);
	buffer_clear(&got);
	for (off_t size = 0; size < st.st_size; size++) {
		assert_int_equal(truncate(file, size), 0);
		assert_false(unit_cache_get(&c, &key, &got));
	}
	assert_int_equal(truncate(file, st.st_size), 0);
	assert_false(unit_cache_get(&c, &key, &got));
	assert_int_equal(got.len, 0);
	/* Where one text ends belongs to the key. */
	unit_cache_key_make(&c.found, (const char *[]){ "ab", "" }, (size_t[]){ 2, 0 }, 2);
	assert_string_not_equal(key.text, c.found.text);
	buffer_release(&unit);
	buffer_release(&got);
	unit_cache_release(&c);
}

static void test_limit(void **state)
{
	char path[100], file[300];
	struct unit_cache_key first = { "" };
	struct unit_cache c;
	struct buffer unit = BUFFER_INIT, got = BUFFER_INIT;

	(void)state;
	snprintf(path, sizeof(path), "%s/limit", compiler_fixture_folder());
	unit_cache_init(&c, path, 64 << 10);
	while (unit.len < 4096)
		buffer_putc(&unit, 'u');
	for (size_t i = 0; i < 200; i++) {
		struct unit_cache_key key;

		unit_cache_key_make(&key, (const char *[]){ (const char *)&i },
				    (size_t[]){ sizeof(i) }, 1);
		if (!i)
			first = key;
		unit_cache_put(&c, &key, &unit);
		unit_cache_rest(&c);
		/* Used all the time, so it stays. */
		buffer_clear(&got);
		assert_true(unit_cache_get(&c, &first, &got));
		unit_cache_rest(&c);
		assert_in_range(files(path, file), 1, 20);
	}
	assert_in_range(files(path, file), 8, 20);
	buffer_release(&unit);
	buffer_release(&got);
	unit_cache_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_same_unit),
		cmocka_unit_test(test_made_of_something_else),
		cmocka_unit_test(test_made_of_something_else_in_cpp),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_limit),
	};

	return cmocka_run_group_tests(tests, compiler_fixture_set_up, compiler_fixture_tear_down);
}
