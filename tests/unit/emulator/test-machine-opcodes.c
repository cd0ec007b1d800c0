/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every row of opcode-vectors.def, which make-opcode-vectors.py computes with exact rational
 * arithmetic. One entry a form; a lane takes one row. Each entry runs three ways: with all lanes,
 * with every second lane switched off by a branch, and under a guard, so that the handlers for
 * whole warps and for parts of them are both tried; lanes that are off must keep what they had. The
 * last warp is half empty. The first and the last way are then run compiled: all forms with the
 * widest vectors, some with the others, since LLVM takes milliseconds for each.
 */

#include "emulator/warp/lane-math.h"
#include "tests/unit/emulator/machine.h"

struct vector {
	const char *form, *signature;
	uint64_t in[4], result;
};

static const struct vector vectors[] = {
#define VECTOR(form, signature, a, b, c, d, result) { form, signature, { a, b, c, d }, result },
#define BOUND(...)
#include "tests/ptx/opcode-vectors.def"
#undef VECTOR
#undef BOUND
};

struct bound {
	const char *form, *signature;
	uint64_t in[2];
	enum { f16, bf16, f32 } format;
	double low, high;
};

/* Approximate operations: the exact value widened by the error that the ISA allows. */
static const struct bound bounds[] = {
#define VECTOR(...)
#define BOUND(form, signature, a, b, format, low, high)                                            \
	{ form, signature, { a, b }, format, low, high },
#include "tests/ptx/opcode-vectors.def"
#undef VECTOR
#undef BOUND
};

#define BOUNDS (sizeof(bounds) / sizeof(bounds[0]))
#define VECTORS (sizeof(vectors) / sizeof(vectors[0]))
#define WIDEST "avx512"
#define UNTOUCHED 0x123456789abcdef0ull

struct cell {
	uint64_t in[4], out;
};

static const char *register_type(char c)
{
	return c == 'h' || c == 'b' ? ".b16" : c == 'r' ? ".b32" : c == 'p' ? ".pred" : ".b64";
}

/* An entry that loads the operands of its lane, does `form` and stores the result. mode: 0 all, 1
 * branch, 2 guard. */
static void write_entry(struct buffer *t, const struct vector *v, int mode)
{
	size_t operands = strlen(v->signature);
	char d = v->signature[0];

	buffer_puts(t, ".visible .entry k(.param .u64 p)\n{\n.reg .b64 %a<9>; .reg .b32 %t<4>; "
		       ".reg .pred %q<2>;\n");
	for (size_t i = 0; i < operands; i++)
		if (v->signature[i] != 'i')
			buffer_printf(t, ".reg %s %%o%zu;\n", register_type(v->signature[i]), i);
	buffer_puts(t, "ld.param.u64 %a0, [p]; mov.u32 %t0, %tid.x; mul.wide.u32 %a1, %t0, 40; "
		       "add.s64 %a2, %a0, %a1;\n"
		       "and.b32 %t1, %t0, 1; setp.eq.u32 %q0, %t1, 1;\n");
	for (size_t i = 1; i < operands; i++) {
		char c = v->signature[i];

		if (c != 'i')
			buffer_printf(t, "ld.global%s %%o%zu, [%%a2+%zu];\n",
				      c == 'b' ? ".b8" : register_type(c), i, 8 * (i - 1));
	}
	if (d == 'd')
		buffer_puts(t, "ld.global.b64 %o0, [%a2+32];\n");
	else if (d == 'r')
		buffer_puts(t, "ld.global.b32 %o0, [%a2+32];\n");
	else if (d == 'h')
		buffer_puts(t, "ld.global.b16 %o0, [%a2+32];\n");
	else
		buffer_puts(t, "setp.eq.u32 %o0, %t1, 7;\n");
	buffer_puts(t, mode == 1 ? "@%q0 bra SKIP;\n" : mode == 2 ? "@!%q0 " : "");
	buffer_printf(t, "%s %%o0", v->form);
	for (size_t i = 1; i < operands; i++) {
		if (v->signature[i] == 'i')
			buffer_printf(t, ", 0x%llx", (unsigned long long)v->in[i - 1]);
		else
			buffer_printf(t, ", %%o%zu", i);
	}
	buffer_puts(t, ";\nSKIP:\n");
	if (d == 'p')
		buffer_puts(t, "selp.b64 %a3, 1, 0, %o0; st.global.b64 [%a2+32], %a3;\n");
	else
		buffer_printf(t, "st.global%s [%%a2+32], %%o0;\n", register_type(d));
	buffer_puts(t, "ret;\n}\n");
}

static uint64_t width_mask(char c)
{
	return c == 'h' || c == 'b' ? 0xffff : c == 'r' ? 0xffffffff : c == 'p' ? 1 : UINT64_MAX;
}

static bool same_form(const struct vector *a, const struct vector *b)
{
	return !strcmp(a->form, b->form) && !strcmp(a->signature, b->signature) &&
	       (a->signature[strlen(a->signature) - 1] != 'i' ||
		!memcmp(&a->in[3], &b->in[3], sizeof(a->in[3])));
}

/* The results of `count` vectors of one form; wrong ones are told and counted. */
static int check_form(const struct vector *v, size_t count, int mode, bool compiled)
{
	struct device *d = device_new();
	struct buffer text = BUFFER_INIT;
	size_t lanes = (count + 31) / 32 * 32 + 16;
	uint64_t p = device_buffer(d, "cells", lanes * sizeof(struct cell));
	struct cell *cells = device_bytes(d, p);
	uint64_t mask = width_mask(v->signature[0]);
	int wrong = 0;

	d->compiled = compiled;
	for (size_t i = 0; i < lanes; i++) {
		memcpy(cells[i].in, v[i % count].in, sizeof(cells[i].in));
		cells[i].out = UNTOUCHED;
	}
	write_entry(&text, v, mode);
	device_load(d, buffer_text(&text));
	assert_runs(d, "k", 1, (uint32_t)lanes, &p, sizeof(p));
	for (size_t i = 0; i < lanes; i++) {
		const struct vector *x = &v[i % count];
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
	size_t stride = strcmp(getenv("CGPU_CORE"), WIDEST) ? 16 : 1, forms = 0;
	int wrong = 0;

	(void)state;
	for (size_t i = 0, n; i < VECTORS; i += n, forms++) {
		for (n = 1; i + n < VECTORS && n < 992 && same_form(&vectors[i], &vectors[i + n]);
		     n++)
			;
		for (int mode = 0; mode < 3; mode++)
			wrong += check_form(&vectors[i], n, mode, false);
		for (int mode = 0; mode < 3 && forms % stride == 0; mode += 2)
			wrong += check_form(&vectors[i], n, mode, true);
	}
	assert_int_equal(wrong, 0);
}

static double value_of(const struct bound *b, uint64_t bits)
{
	return b->format == f32   ? float_of((uint32_t)bits)
	       : b->format == f16 ? half_to_float((uint16_t)bits)
				  : float_of((uint32_t)bits << 16);
}

/* Rows of one form, a lane each. */
static int check_bounds(const struct bound *b, size_t count)
{
	struct vector v = { .form = b->form, .signature = b->signature };
	struct device *d = device_new();
	struct buffer text = BUFFER_INIT;
	uint64_t p = device_buffer(d, "cells", count * sizeof(struct cell));
	struct cell *cells = device_bytes(d, p);
	int wrong = 0;

	for (size_t i = 0; i < count; i++)
		memcpy(cells[i].in, b[i].in, sizeof(b[i].in));
	write_entry(&text, &v, 0);
	device_load(d, buffer_text(&text));
	assert_runs(d, "k", 1, (uint32_t)count, &p, sizeof(p));
	for (size_t i = 0; i < count; i++) {
		double r = value_of(b, cells[i].out);

		if (r >= b[i].low && r <= b[i].high)
			continue;
		print_message("%s(0x%llx, 0x%llx) = %.17g, allowed %.17g to %.17g\n", b->form,
			      (unsigned long long)b[i].in[0], (unsigned long long)b[i].in[1], r,
			      b[i].low, b[i].high);
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
	for (size_t i = 0, n; i < BOUNDS; i += n) {
		for (n = 1; i + n < BOUNDS && !strcmp(bounds[i].form, bounds[i + n].form); n++)
			;
		wrong += check_bounds(&bounds[i], n);
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
