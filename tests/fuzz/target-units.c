/* SPDX-License-Identifier: Apache-2.0 */
/* unit_table_decode(): the units in a snapshot file. */
#include "common/base/buffer.h"
#include "kernel/units/unit-table.h"
#include "tests/fuzz/fuzz.h"

static bool one(const uint8_t *data, size_t size)
{
	cleanup_buffer struct buffer again = BUFFER_INIT, unpacked = BUFFER_INIT;
	const struct unit_variable *variables;
	struct unit_table t;
	char line[80];
	bool taken;

	unit_table_init(&t);
	taken = !unit_table_decode(&t, data, size, NULL);
	for (size_t i = 0; i < t.n; i++) {
		const struct unit_record *r = &t.records[i];

		unit_record_source(r, 1, line, sizeof(line));
		unit_record_section(r, 1);
		unit_record_unpack(r->unit.object, r->unit.object_len, &unpacked);
		buffer_clear(&unpacked);
		unit_record_unpack(r->unit.ptx, r->unit.ptx_len, &unpacked);
		buffer_clear(&unpacked);
	}
	unit_table_variables(&t, &variables);
	unit_table_encode(&t, &again);
	unit_table_release(&t);
	return taken;
}

static bool seed(unsigned i, struct buffer *to)
{
	struct unit_symbol symbols[] = { { "x", false, 4, "int", "i4", 1, 77, true },
					 { "f", true, 0, "int (int)", "", 2, 0, false } };
	struct unit u = { .cell = 3,
			  .cell_name = "In[3]",
			  .run_symbol = "",
			  .display_type = "",
			  .display_type_code = "",
			  .warnings = "",
			  .object = "an object",
			  .object_len = 9,
			  .symbols = symbols,
			  .n_symbols = 2 };
	cleanup_buffer struct buffer names = BUFFER_INIT;
	struct unit_table t;

	if (i > 1)
		return false;
	unit_table_init(&t);
	for (unsigned k = 0; k < 2 * i; k++) {
		u.cell = k + 1;
		unit_table_begin(&t, &u, "int x;\nint f(int);", NULL);
		unit_table_place(&t, "x", 0x200000000000 + k, 4);
		unit_table_place_section(&t, 1, 0x200000001000);
		unit_table_note_code(&t, k, true);
		buffer_append(&names, "g", 2);
		unit_table_end_names(&t, &names);
		unit_table_commit(&t);
	}
	unit_table_encode(&t, to);
	unit_table_release(&t);
	return true;
}

const struct fuzz_target fuzz_units = { one, seed, 50000 };
