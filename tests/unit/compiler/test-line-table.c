/* SPDX-License-Identifier: Apache-2.0 */
/* compiler/line-table: what is no object, or a cut one, is an error and never a crash. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/mem-pool.h"
#include "compiler/units/line-table.h"

static int read_table(const void *data, size_t len, size_t *ret_n)
{
	struct mem_pool pool = MEM_POOL_INIT;
	struct unit_line *rows;
	int failed = line_table_read(data, len, "In[1]", &pool, &rows, ret_n, NULL);

	mem_pool_release(&pool);
	return failed;
}

static void nothing(void **state)
{
	size_t n = 1;

	(void)state;
	assert_int_equal(read_table("", 0, &n), 0);
	assert_int_equal(n, 0);
	assert_int_equal(read_table("no object at all, only text", 27, &n), -1);
}

/* This test's own object code stands for an ELF file with other content than a unit's. */
static void any_cut_is_survived(void **state)
{
	cleanup_file FILE *f = fopen("/proc/self/exe", "re");
	struct buffer b = BUFFER_INIT;
	char block[4096];
	size_t got, n;

	(void)state;
	assert_non_null(f);
	while ((got = fread(block, 1, sizeof(block), f)) > 0)
		buffer_append(&b, block, got);
	for (size_t len = 0; len < b.len; len += 1 + len / 50) {
		cleanup_free char *copy = malloc(len + 1);

		assert_non_null(copy);
		memcpy(copy, b.data, len);
		read_table(copy, len, &n);
	}
	buffer_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(nothing),
					    cmocka_unit_test(any_cut_is_survived) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
