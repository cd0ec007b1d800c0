/* SPDX-License-Identifier: Apache-2.0 */
/* common/unit: a unit survives encoding; every cut of the encoded form is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/code/unit.h"

static void encode_sample(struct buffer *b)
{
	struct declaration d = { DECLARATION_VARIABLE, 3, 2, "x", "extern int x;", "" };
	struct unit_symbol s[] = { { "x", false, 4, "int", "i4", 2, 0 },
				   { "f", true, 0, "int (void)", "", 5, UINT64_MAX } };
	struct unit_line l = { "f", 12, 6 };
	const char *behind[] = { "type s", "f(int)" };
	struct unit_kernel e = { "k", "_Z1kPf", 9 };
	struct unit u = { .cell = 3,
			  .cell_name = "In[3]",
			  .run_symbol = "cgpu_cell_3",
			  .display_type = "int",
			  .display_type_code = "i4",
			  .object = "\177ELF",
			  .object_len = 4,
			  .ptx = "ptx",
			  .ptx_len = 3,
			  .program = UINT64_MAX - 1,
			  .warnings = "",
			  .declarations = &d,
			  .n_declarations = 1,
			  .behind = behind,
			  .n_behind = 2,
			  .symbols = s,
			  .n_symbols = 2,
			  .lines = &l,
			  .n_lines = 1,
			  .kernels = &e,
			  .n_kernels = 1 };

	unit_encode(&u, b);
}

static void round_trip(void **state)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;
	struct unit u;

	(void)state;
	encode_sample(&b);
	assert_int_equal(unit_decode(b.data, b.len, &u, NULL), 0);
	assert_int_equal(u.cell, 3);
	assert_string_equal(u.cell_name, "In[3]");
	assert_string_equal(u.run_symbol, "cgpu_cell_3");
	assert_string_equal(u.display_type_code, "i4");
	assert_int_equal(u.object_len, 4);
	assert_memory_equal(u.ptx, "ptx", 3);
	assert_true(u.program == UINT64_MAX - 1);
	assert_string_equal(u.declarations[0].host, "extern int x;");
	assert_int_equal(u.n_behind, 2);
	assert_string_equal(u.behind[1], "f(int)");
	assert_string_equal(u.symbols[1].name, "f");
	assert_true(u.symbols[1].is_function);
	assert_int_equal(u.lines[0].line, 6);
	assert_string_equal(u.kernels[0].ptx_name, "_Z1kPf");
	unit_release(&u);
}

static void every_cut_is_refused(void **state)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;

	(void)state;
	encode_sample(&b);
	for (size_t cut = 0; cut < b.len; cut++) {
		struct error err = ERROR_INIT;
		char *copy = malloc(cut + 1);
		struct unit u;

		memcpy(copy, b.data, cut);
		assert_int_equal(unit_decode(copy, cut, &u, &err), -1);
		assert_int_equal(err.code, ERROR_PROTOCOL);
		free(copy);
	}
}

static void kinds_share_namespaces(void **state)
{
	(void)state;
	assert_string_equal(declaration_space(DECLARATION_VARIABLE),
			    declaration_space(DECLARATION_FUNCTION));
	assert_string_not_equal(declaration_space(DECLARATION_TAG),
				declaration_space(DECLARATION_TYPEDEF));
	assert_string_equal(declaration_kind_name(DECLARATION_ENTRY), "CUDA kernel");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trip),
		cmocka_unit_test(every_cut_is_refused),
		cmocka_unit_test(kinds_share_namespaces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
