/* SPDX-License-Identifier: Apache-2.0 */
/* kernel/ when memory is out: the n-th allocation fails for every n; each failure is reported,
 * nothing leaks or crashes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "kernel/declarations/declarations.h"
#include "kernel/magics/magic-script.h"
#include "kernel/magics/magic-table.h"
#include "kernel/show/stream.h"
#include "kernel/views/presenter-value.h"
#include "kernel/views/value-format.h"
#include "tests/unit/failing-malloc.h"

static int parse_script(void *data)
{
	struct magic_script s = { 0 };
	struct error err = ERROR_INIT;

	(void)data;
	if (magic_script_parse(&s, "%who\n%whos a*\n!ls\n%%writefile x\nbody\n", &err)) {
		assert_int_equal(err.code, ERROR_MEMORY);
		return -1;
	}
	assert_int_equal(s.n_calls, 4);
	magic_script_release(&s);
	return 0;
}

/* Types, users of them, a redefinition, undo: what is left is always a list that can be told. */
static int keep_declarations(void *data)
{
	struct declaration first[] = {
		{ DECLARATION_MACRO, 1, 1, "N", "#define N 1", "" },
		{ DECLARATION_TAG, 1, 2, "s", "struct s { int a[N]; };", "" },
		{ DECLARATION_VARIABLE, 1, 3, "v", "extern struct s v;", "" },
	};
	struct declaration second[] = {
		{ DECLARATION_MACRO, 2, 1, "N", "#define N 2", "" },
		{ DECLARATION_TAG, 2, 2, "s", "struct s { long a; };", "" },
	};
	struct unit units[] = { { .declarations = first, .n_declarations = 3 },
				{ .declarations = second, .n_declarations = 2 } };
	struct declaration_source from[] = { { "a", 1, true }, { "a", 2, true } };
	struct declarations d = { 0 };
	struct declarations_kept kept = { 0 };
	cleanup_buffer struct buffer notes = BUFFER_INIT;
	struct declaration_change *list = NULL;
	struct error err = ERROR_INIT;
	size_t at, n;
	int rc;

	(void)data;
	rc = declarations_accept(&d, &from[0], &units[0], &notes, &err);
	if (!rc)
		rc = declarations_keep(&d, &kept, &err);
	if (!rc)
		rc = declarations_accept(&d, &from[1], &units[1], &notes, &err);
	if (!rc)
		rc = declarations_take_changes(&d, &at, &list, &n, &err) < 0 ? -1 : 0;
	if (rc)
		assert_int_equal(err.code, ERROR_MEMORY);
	if (notes.failed) /* a note that is lost does no harm */
		rc = -1;
	free(list);
	declarations_return(&d, &kept);
	declarations_release(&d);
	return rc;
}

static int format_value(void *data)
{
	cleanup_buffer struct buffer out = BUFFER_INIT;
	int values[100] = { 7 };
	struct presenter_value v = { .type = "int [100]",
				     .code = "a100i4",
				     .bytes = values,
				     .len = sizeof(values),
				     .target = "" };

	(void)data;
	value_format(&v, NULL, &out);
	if (buffer_check(&out, NULL))
		return -1;
	assert_int_equal(strncmp(out.data, "{7, 0, 0,", 9), 0);
	return 0;
}

static int pass_output(void *data)
{
	cleanup_buffer struct buffer out = BUFFER_INIT;
	struct stream s;
	int rc;

	(void)data;
	stream_init(&s, 1000);
	for (int i = 0; i < 1000; i++)
		stream_add(&s, "some text\n", 10);
	stream_end(&s, "", &out);
	rc = out.failed || strstr(out.data, "some output is lost") ? -1 : 0;
	stream_release(&s);
	return rc;
}

static void every_allocation_may_fail(void **state)
{
	(void)state;
	failing_malloc_run(parse_script, NULL);
	failing_malloc_run(keep_declarations, NULL);
	failing_malloc_run(format_value, NULL);
	failing_malloc_run(pass_output, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
