/* SPDX-License-Identifier: Apache-2.0 */
/* declarations_decode() and setup_decode(): the session's own part of a snapshot file. */
#include <stdlib.h>

#include "common/base/buffer.h"
#include "common/base/record.h"
#include "kernel/declarations/declarations.h"
#include "kernel/declarations/setup.h"
#include "tests/fuzz/fuzz.h"

static bool one(const uint8_t *data, size_t size)
{
	cleanup_buffer struct buffer again = BUFFER_INIT;
	struct record r = record_open(data, size);
	struct declarations d = { 0 };
	struct setup s = { 0 };
	uint32_t *indices = NULL;
	size_t n = 0;
	bool taken = !declarations_decode(&d, &r, NULL) && !setup_decode(&s, &r, NULL) &&
		     !record_check(&r, "the session", NULL);

	if (taken) {
		declarations_find(&d, "x");
		if (!declarations_of_cell(&d, "id", &indices, &n, NULL))
			free(indices);
		while (setup_next(&s, ""))
			setup_done(&s, setup_next(&s, ""), false);
		declarations_encode(&d, &again);
		setup_encode(&s, &again);
	}
	declarations_release(&d);
	setup_release(&s);
	return taken;
}

static bool seed(unsigned i, struct buffer *to)
{
	struct declaration add[] = { { DECLARATION_VARIABLE, 3, 1, "x", "extern int x;", "" },
				     { DECLARATION_FUNCTION, 3, 2, "f", "int f(int);", "" } };
	struct unit_symbol symbols[] = { { .name = "x" }, { .name = "f" } };
	struct unit u = {
		.declarations = add, .n_declarations = 2, .symbols = symbols, .n_symbols = 2
	};
	const struct declaration_source from = { "id", 3, true };
	const char *const texts[] = { "NAME", "value", NULL };
	cleanup_buffer struct buffer notes = BUFFER_INIT;
	struct declarations d = { 0 };
	struct setup s = { 0 };

	if (i > 1)
		return false;
	if (i == 1) {
		declarations_accept(&d, &from, &u, &notes, NULL);
		setup_add(&s, "setenv", texts, ", 1");
		setup_remember(&s, "id", "In[3]", "srand(1);", NULL);
	}
	declarations_encode(&d, to);
	setup_encode(&s, to);
	declarations_release(&d);
	setup_release(&s);
	return true;
}

const struct fuzz_target fuzz_declarations = { one, seed, 30000 };
