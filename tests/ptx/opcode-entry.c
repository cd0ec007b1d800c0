/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One entry for each form of an operation: a lane takes a row of the table. Predicates are stored
 * as 64-bit words, all else as wide as it is.
 */
#include "tests/ptx/opcode-entry.h"

#include <string.h>

#include "common/base/buffer.h"
#include "emulator/warp/lane-math.h"

const struct opcode_vector opcode_vectors[] = {
#define VECTOR(form, signature, a, b, c, d, result) { form, signature, { a, b, c, d }, result },
#define BOUND(...)
#include "tests/ptx/opcode-vectors.def"
#undef VECTOR
#undef BOUND
};
const size_t opcode_vectors_n = sizeof(opcode_vectors) / sizeof(opcode_vectors[0]);

const struct opcode_bound opcode_bounds[] = {
#define VECTOR(...)
#define BOUND(form, signature, a, b, format, low, high)                                            \
	{ form, signature, { a, b }, format, low, high },
#include "tests/ptx/opcode-vectors.def"
#undef VECTOR
#undef BOUND
};
const size_t opcode_bounds_n = sizeof(opcode_bounds) / sizeof(opcode_bounds[0]);

static const char *register_type(char letter)
{
	return letter == 'h' || letter == 'b' ? ".b16"
	       : letter == 'r'                ? ".b32"
	       : letter == 'p'                ? ".pred"
					      : ".b64";
}

static void load_operands(struct buffer *t, const char *signature)
{
	size_t operands = strlen(signature);
	char d = signature[0];

	for (size_t i = 0; i < operands; i++)
		if (signature[i] != 'i')
			buffer_printf(t, ".reg %s %%o%zu;\n", register_type(signature[i]), i);
	buffer_puts(t, "ld.param.u64 %a0, [p]; mov.u32 %t0, %tid.x; mul.wide.u32 %a1, %t0, 40; "
		       "add.s64 %a2, %a0, %a1;\n"
		       "and.b32 %t1, %t0, 1; setp.eq.u32 %q0, %t1, 1;\n");
	for (size_t i = 1; i < operands; i++)
		if (signature[i] != 'i')
			buffer_printf(t, "ld.global%s %%o%zu, [%%a2+%zu];\n",
				      signature[i] == 'b' ? ".b8" : register_type(signature[i]), i,
				      8 * (i - 1));
	/* What lanes that are off must keep. */
	if (d == 'p')
		buffer_puts(t, "setp.eq.u32 %o0, %t1, 7;\n");
	else
		buffer_printf(t, "ld.global%s %%o0, [%%a2+32];\n", register_type(d));
}

void opcode_entry_write(struct buffer *t, const struct opcode_vector *v, enum opcode_mode mode)
{
	size_t operands = strlen(v->signature);
	char d = v->signature[0];

	buffer_puts(t, ".visible .entry k(.param .u64 p)\n{\n.reg .b64 %a<9>; .reg .b32 %t<4>; "
		       ".reg .pred %q<2>;\n");
	load_operands(t, v->signature);
	buffer_puts(t, mode == OPCODE_BRANCH  ? "@%q0 bra SKIP;\n"
		       : mode == OPCODE_GUARD ? "@!%q0 "
					      : "");
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

uint64_t opcode_mask(char letter)
{
	return letter == 'h' || letter == 'b' ? 0xffff
	       : letter == 'r'                ? 0xffffffff
	       : letter == 'p'                ? 1
					      : UINT64_MAX;
}

static bool same_form(const struct opcode_vector *a, const struct opcode_vector *b)
{
	return !strcmp(a->form, b->form) && !strcmp(a->signature, b->signature) &&
	       (a->signature[strlen(a->signature) - 1] != 'i' || a->in[3] == b->in[3]);
}

size_t opcode_run(const struct opcode_vector *v, size_t most)
{
	size_t n = 1;

	while (n < most && v + n < opcode_vectors + opcode_vectors_n && same_form(v, &v[n]))
		n++;
	return n;
}

size_t opcode_run_of_bounds(const struct opcode_bound *b, size_t most)
{
	size_t n = 1;

	while (n < most && b + n < opcode_bounds + opcode_bounds_n && !strcmp(b->form, b[n].form))
		n++;
	return n;
}

bool opcode_within(const struct opcode_bound *b, uint64_t bits)
{
	double value = b->format == f32   ? float_of((uint32_t)bits)
		       : b->format == f16 ? half_to_float((uint16_t)bits)
					  : float_of((uint32_t)bits << 16);

	return value >= b->low && value <= b->high;
}
