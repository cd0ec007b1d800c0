/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every row of opcode-vectors.def, which make-opcode-vectors.py computes with exact rational
 * arithmetic. One entry a form; a lane takes one row. Each entry runs three ways: with all lanes,
 * with every second lane switched off by a branch, and under a guard, so that the handlers for
 * whole warps and for parts of them are both tried; lanes that are off must keep what they had. The
 * last warp is half empty. The first and the last way are then run compiled: all forms with the
 * widest vectors, some with the others, since LLVM takes milliseconds for each. The sanitizers see
 * neither LLVM nor the code that it makes, so with them some forms are enough.
 */

#include "tests/ptx/opcode-entry.h"
#include "tests/unit/emulator/machine.h"

#define WIDEST "avx512"
#define SOME 16 /* every 16th form */
#define UNTOUCHED 0x123456789abcdef0ull

/* The results of `count` vectors of one form; wrong ones are told and counted. */
static int check_form(const struct opcode_vector *v, size_t count, int mode, bool compiled)
{
	struct device *d = device_new();
	struct buffer text = BUFFER_INIT;
	size_t lanes = (count + 31) / 32 * 32 + 16;
	uint64_t p = device_buffer(d, "cells", lanes * sizeof(struct opcode_cell));
	struct opcode_cell *cells = device_bytes(d, p);
	uint64_t mask = opcode_mask(v->signature[0]);
	int wrong = 0;

	d->compiled = compiled;
	for (size_t i = 0; i < lanes; i++) {
		memcpy(cells[i].in, v[i % count].in, sizeof(cells[i].in));
		cells[i].out = UNTOUCHED;
	}
	opcode_entry_write(&text, v, mode);
	device_load(d, buffer_text(&text));
	assert_runs(d, "k", 1, (uint32_t)lanes, &p, sizeof(p));
	for (size_t i = 0; i < lanes; i++) {
		const struct opcode_vector *x = &v[i % count];
		bool off = mode && (i & 1);
		uint64_t expected =
			(off ? (x->signature[0] == 'p' ? 0 : UNTOUCHED) : x->result) & mask;

		if ((cells[i].out & mask) == expected)
			continue;
		print_message("%s %s(0x%llx, 0x%llx, 0x%llx, 0x%llx) = 0x%llx, expected 0x%llx, "
			      "way %d%s\n",
			      x->form, off ? "[off] " : "", (unsigned long long)x->in[0],
			      (unsigned long long)x->in[1], (unsigned long long)x->in[2],
			      (unsigned long long)x->in[3],
			      (unsigned long long)(cells[i].out & mask),
			      (unsigned long long)expected, mode, compiled ? ", compiled" : "");
		if (++wrong == 3)
			break;
	}
	buffer_release(&text);
	device_free(d);
	return wrong;
}

static void operations_match_exact_arithmetic(void **state)
{
#ifdef __SANITIZE_ADDRESS__
	size_t stride = SOME;
#else
	size_t stride = strcmp(getenv("CGPU_CORE"), WIDEST) ? SOME : 1;
#endif
	size_t forms = 0;
	int wrong = 0;

	(void)state;
	for (size_t i = 0, n; i < opcode_vectors_n; i += n, forms++) {
		const struct opcode_vector *v = &opcode_vectors[i];

		n = opcode_run(v, 992);
		for (int mode = OPCODE_ALL; mode <= OPCODE_GUARD; mode++)
			wrong += check_form(v, n, mode, false);
		for (int mode = 0; mode < 3 && forms % stride == 0; mode += 2)
			wrong += check_form(v, n, mode, true);
	}
	assert_int_equal(wrong, 0);
}

/* Rows of one form, a lane each. */
static int check_bounds(const struct opcode_bound *b, size_t count)
{
	struct opcode_vector v = { .form = b->form, .signature = b->signature };
	struct device *d = device_new();
	struct buffer text = BUFFER_INIT;
	uint64_t p = device_buffer(d, "cells", count * sizeof(struct opcode_cell));
	struct opcode_cell *cells = device_bytes(d, p);
	int wrong = 0;

	for (size_t i = 0; i < count; i++)
		memcpy(cells[i].in, b[i].in, sizeof(b[i].in));
	opcode_entry_write(&text, &v, OPCODE_ALL);
	device_load(d, buffer_text(&text));
	assert_runs(d, "k", 1, (uint32_t)count, &p, sizeof(p));
	for (size_t i = 0; i < count; i++) {
		if (opcode_within(&b[i], cells[i].out))
			continue;
		print_message("%s(0x%llx, 0x%llx) = 0x%llx, allowed %.17g to %.17g\n", b->form,
			      (unsigned long long)b[i].in[0], (unsigned long long)b[i].in[1],
			      (unsigned long long)cells[i].out, b[i].low, b[i].high);
		wrong++;
	}
	buffer_release(&text);
	device_free(d);
	return wrong;
}

static void approximations_are_as_exact_as_the_isa_asks(void **state)
{
	int wrong = 0;

	(void)state;
	for (size_t i = 0, n; i < opcode_bounds_n; i += n) {
		n = opcode_run_of_bounds(&opcode_bounds[i], SIZE_MAX);
		wrong += check_bounds(&opcode_bounds[i], n);
	}
	assert_int_equal(wrong, 0);
}

static int run_group(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operations_match_exact_arithmetic),
		cmocka_unit_test(approximations_are_as_exact_as_the_isa_asks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* A process uses one copy of the core, so each copy gets its own; one that the processor lacks is
 * the baseline. */
int main(void)
{
	return machine_on_each_core(run_group);
}
