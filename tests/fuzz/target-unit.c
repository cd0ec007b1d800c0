/* SPDX-License-Identifier: Apache-2.0 */
/* unit_decode(): what the compiler process answers, which reads what cells say. */
#include <string.h>

#include "common/base/buffer.h"
#include "common/code/type-code.h"
#include "common/code/unit.h"
#include "tests/fuzz/fuzz.h"

static bool one(const uint8_t *data, size_t size)
{
	cleanup_buffer struct buffer again = BUFFER_INIT;
	struct unit u;

	if (unit_decode(data, size, &u, NULL))
		return false;
	for (size_t i = 0; i < u.n_symbols; i++)
		type_code_size(u.symbols[i].type_code);
	for (size_t i = 0; i < u.n_declarations; i++)
		declaration_space(u.declarations[i].kind);
	unit_encode(&u, &again);
	unit_release(&u);
	return true;
}

static bool seed(unsigned i, struct buffer *to)
{
	struct declaration declarations[] = {
		{ DECLARATION_VARIABLE, 3, 1, "x", "extern int x;", "" },
		{ DECLARATION_FUNCTION, 3, 2, "f", "int f(int);", "__device__ int f(int);" },
	};
	struct unit_symbol symbols[] = { { "x", false, 4, "int", "i4", 1, 77, true },
					 { "f", true, 0, "int (int)", "", 2, 0, false } };
	struct unit_line lines[] = { { "f", 0, 2 }, { "f", 8, 3 } };
	struct unit_kernel kernels[] = { { "k", "_Z1kv", 4, NULL }, { "t", "_Z1tv", 5, "stub" } };
	const char *behind[] = { "g" };
	struct unit u = { .cell = 3,
			  .cell_name = "In[3]",
			  .run_symbol = "cgpu_cell_3",
			  .display_type = "int",
			  .display_type_code = "i4",
			  .object = "\177ELF, or what is one here",
			  .object_len = 24,
			  .warnings = "" };

	if (i > 1)
		return false;
	if (i == 1) {
		u.declarations = declarations;
		u.n_declarations = 2;
		u.behind = behind;
		u.n_behind = 1;
		u.symbols = symbols;
		u.n_symbols = 2;
		u.lines = lines;
		u.n_lines = 2;
		u.kernels = kernels;
		u.n_kernels = 2;
		u.ptx = ".version 9.0";
		u.ptx_len = strlen(u.ptx);
		u.warnings = "In[3]:1:1: warning: unused";
	}
	unit_encode(&u, to);
	return true;
}

const struct fuzz_target fuzz_unit = { one, seed, 80000 };
