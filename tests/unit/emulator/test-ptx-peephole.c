/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is taken together, what must not be, and that random straight and branching code leaves the
 * same memory with and without it.
 */
#include "tests/unit/emulator/machine.h"

#include "emulator/ptx/ptx-syntax.h"
#include "emulator/warp/exec.h"

#define WORDS 64

/* How many operations of this kind the entry `k` of the body has. */
static unsigned count_operations(struct device *d, const char *body, enum ptx_op id)
{
	const struct ptx_program *p;
	struct ptx_function *f;
	unsigned count = 0;

	device_load(d, body);
	f = ptx_module_function(d->module, "k");
	assert_int_equal(ptx_function_prepare(f, &d->err), 0);
	p = f->body->program;
	for (uint32_t i = 0; i < p->op_count; i++)
		count += p->ops[i].id == id;
	return count;
}

static const struct op *find_operation(struct device *d, enum ptx_op id)
{
	const struct ptx_program *p = ptx_module_function(d->module, "k")->body->program;

	for (uint32_t i = 0; i < p->op_count; i++)
		if (p->ops[i].id == id)
			return &p->ops[i];
	fail_msg("the operation is not there");
	return NULL;
}

#define HEAD                                                                                       \
	".visible .entry k(.param .u64 x)\n{\n"                                                    \
	".reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>;\n"                                   \
	"ld.param.u64 %rd1, [x]; mov.u32 %r1, %tid.x;\n"
#define TAIL "ret;\n}\n"

static void products_go_into_additions(void **state)
{
	static const char body[] = HEAD
		"mul.wide.s32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; add.s64 %rd4, %rd2, %rd1;\n"
		"ld.global.u32 %r2, [%rd3]; st.global.u32 [%rd4], %r2;\n" TAIL;
	struct device *d = device_new();

	(void)state;
	assert_int_equal(count_operations(d, body, OP_mad_wide_s32), 2);
	assert_int_equal(count_operations(d, body, OP_mul_wide_s32), 0);
	assert_int_equal(count_operations(d, body, OP_add_s64), 0);
	device_free(d);
}

static void products_that_others_need_stay(void **state)
{
	static const char changed[] =
		HEAD "mul.wide.s32 %rd2, %r1, 4; add.s32 %r1, %r1, 1; add.s64 %rd3, %rd1, %rd2;\n"
		     "st.global.u32 [%rd3], %r1;\n" TAIL;
	static const char elsewhere[] =
		HEAD "mul.wide.s32 %rd2, %r1, 4; setp.eq.s32 %p1, %r1, 3; @%p1 bra L; add.s32 %r1, "
		     "%r1, 1;\n"
		     "L: add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r1;\n" TAIL;
	static const char guarded[] =
		HEAD "setp.eq.s32 %p1, %r1, 3; mov.u64 %rd2, 0; @%p1 mul.wide.s32 %rd2, %r1, 4;\n"
		     "add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r1;\n" TAIL;
	struct device *d = device_new();

	(void)state;
	assert_int_equal(count_operations(d, changed, OP_mad_wide_s32), 0);
	assert_int_equal(count_operations(d, elsewhere, OP_mad_wide_s32), 0);
	assert_int_equal(count_operations(d, guarded, OP_mad_wide_s32), 0);
	device_free(d);
}

static void constants_go_into_addresses(void **state)
{
	static const char body[] = HEAD
		"add.s64 %rd2, %rd1, 64; add.s64 %rd3, %rd2, -16; ld.global.u32 %r2, [%rd3+4];\n"
		"st.global.u32 [%rd1], %r2;\n" TAIL;
	struct device *d = device_new();

	(void)state;
	assert_int_equal(count_operations(d, body, OP_add_s64), 0);
	assert_int_equal(find_operation(d, OP_ld_global_b32)->imm, 52);
	device_free(d);
}

static void an_address_that_moves_on_stays(void **state)
{
	static const char body[] =
		HEAD "add.s64 %rd2, %rd1, 64; ld.global.u32 %r2, [%rd2]; add.s64 %rd2, %rd2, 4;\n"
		     "ld.global.u32 %r3, [%rd2]; add.s32 %r4, %r2, %r3; st.global.u32 [%rd2+8], "
		     "%r4;\n" TAIL;
	struct device *d = device_new();
	uint64_t x = device_buffer(d, "x", 256);
	uint32_t *words = device_bytes(d, x);

	(void)state;
	words[16] = 5;
	words[17] = 7;
	device_load(d, body);
	assert_runs(d, "k", 1, 1, &x, sizeof(x));
	assert_int_equal(words[19], 12);
	device_free(d);
}

static void what_nobody_reads_goes(void **state)
{
	static const char body[] =
		HEAD "add.s32 %r2, %r1, 1; mul.lo.s32 %r3, %r2, %r2; setp.eq.s32 %p1, %r3, 0;\n"
		     "ld.global.u32 %r4, [%rd1];\n" TAIL;
	struct device *d = device_new();

	(void)state;
	assert_int_equal(count_operations(d, body, OP_add_s32), 0);
	assert_int_equal(count_operations(d, body, OP_mul_lo_s32), 0);
	/* An access may fault. */
	assert_int_equal(count_operations(d, body, OP_ld_global_b32), 1);
	device_free(d);
}

static void a_branch_over_another_is_turned_round(void **state)
{
	static const char loop[] = HEAD "mov.u32 %r2, 0;\nTOP: add.s32 %r2, %r2, 1; setp.eq.s32 "
					"%p1, %r2, 9;\n@%p1 bra OUT;\nbra.uni TOP;\n"
					"OUT: st.global.u32 [%rd1], %r2;\n" TAIL;
	static const char unless[] = HEAD "setp.eq.s32 %p1, %r1, 3;\n@!%p1 bra ON;\nbra.uni "
					  "END;\nON: st.global.u32 [%rd1], %r1;\nEND: " TAIL;
	struct device *d = device_new();
	uint64_t x = device_buffer(d, "x", 4);

	(void)state;
	assert_int_equal(count_operations(d, loop, OP_bra_if), 0);
	assert_int_equal(count_operations(d, loop, OP_bra_unless), 1);
	assert_int_equal(count_operations(d, loop, OP_bra_back), 0);
	assert_runs(d, "k", 1, 32, &x, sizeof(x));
	assert_int_equal(*(uint32_t *)device_bytes(d, x), 9);
	assert_int_equal(count_operations(d, unless, OP_bra_if), 1);
	assert_int_equal(count_operations(d, unless, OP_bra), 0);
	device_free(d);
}

static void a_branch_that_others_jump_to_stays(void **state)
{
	static const char body[] = HEAD "setp.eq.s32 %p1, %r1, 3; setp.eq.s32 %p2, %r1, 4; @%p2 "
					"bra OTHER; @%p1 bra ON;\nOTHER: bra.uni END;\n"
					"ON: st.global.u32 [%rd1], %r1;\nEND: " TAIL;
	struct device *d = device_new();

	(void)state;
	assert_int_equal(count_operations(d, body, OP_bra), 1);
	assert_int_equal(count_operations(d, body, OP_bra_if), 2);
	device_free(d);
}

static void a_fault_names_the_access_not_the_addition(void **state)
{
	static const char body[] = HEAD
		"mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; add.s64 %rd4, %rd3, 16;\n"
		"ld.global.u32 %r2, [%rd4+4]; st.global.u32 [%rd1], %r2;\n" TAIL;
	struct device *d = device_new();
	uint64_t x = device_buffer(d, "x", 100);

	(void)state;
	device_load(d, body);
	assert_int_equal(device_launch(d, "k", 1, 32, &x, sizeof(x)), 1);
	assert_int_equal(d->fault.thread[0], 20);
	assert_int_equal(d->fault.address, x + 100);
	assert_string_equal(d->fault.instruction, "ld.global.u32 %r2, [%rd4+4]");
	device_free(d);
}

/* ---- random code: eight 32-bit and eight 64-bit registers, addresses inside the buffer ---- */

static unsigned seed;

static unsigned pick(unsigned n)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % n;
}

static void random_step(struct buffer *text, unsigned *labels)
{
	unsigned a = pick(8), b = pick(8), c = pick(8);

	switch (pick(10)) {
	case 0:
		buffer_printf(text, "mul.wide.%s %%rd%u, %%r%u, %u;\n", pick(2) ? "s32" : "u32", a,
			      b, pick(16));
		break;
	case 1:
		buffer_printf(text, "add.s64 %%rd%u, %%rd%u, %%rd%u;\n", a, b, c);
		break;
	case 2:
		buffer_printf(text, "add.s64 %%rd%u, %%rd%u, %d;\n", a, b, (int)pick(64) - 32);
		break;
	case 3:
		buffer_printf(text, "add.s32 %%r%u, %%r%u, %%r%u;\n", a, b, c);
		break;
	case 4:
		buffer_printf(text, "cvt.u32.u64 %%r%u, %%rd%u;\n", a, b);
		break;
	case 5:
		buffer_printf(text,
			      "setp.lt.u32 %%p1, %%r%u, %%r%u; @%%p1 add.s64 %%rd%u, %%rd%u, %u;\n",
			      a, b, c, a, pick(9));
		break;
	case 6:
		buffer_printf(text,
			      "setp.lt.s32 %%p2, %%r%u, %%r%u; @%%p2 bra L%u;\nadd.s32 %%r%u, "
			      "%%r%u, 3;\nL%u:\n",
			      a, b, *labels, c, b, *labels);
		++*labels;
		break;
	case 7: /* a branch over another one */
		buffer_printf(text,
			      "setp.lt.s32 %%p2, %%r%u, %%r%u; @%s%%p2 bra L%u;\nbra.uni "
			      "L%u;\nL%u: add.s32 %%r%u, %%r%u, 5;\n"
			      "L%u:\n",
			      a, b, pick(2) ? "!" : "", *labels, *labels + 1, *labels, c, b,
			      *labels + 1);
		*labels += 2;
		break;
	case 8: /* an address whose last additions a load may take in */
		buffer_printf(text,
			      "and.b64 %%rd9, %%rd%u, 60; add.s64 %%rd10, %%rd8, %%rd9; add.s64 "
			      "%%rd11, %%rd10, %u;\n"
			      "ld.global.u32 %%r%u, [%%rd11+%u];\n",
			      a, 4 * pick(8), b, 4 * pick(8));
		break;
	default:
		buffer_printf(text,
			      "and.b32 %%r9, %%r%u, 15; mul.wide.u32 %%rd9, %%r9, 4; add.s64 "
			      "%%rd10, %%rd8, %%rd9;\n"
			      "st.global.u32 [%%rd10+%u], %%r%u;\n",
			      a, 4 * pick(16), b);
	}
}

static void random_body(struct buffer *text)
{
	unsigned steps = 10 + pick(60), labels = 0;

	buffer_puts(text, ".visible .entry k(.param .u64 x)\n{\n.reg .pred %p<4>; .reg .b32 "
			  "%r<12>; .reg .b64 %rd<12>;\n"
			  "ld.param.u64 %rd8, [x]; mov.u32 %r10, %tid.x; mov.u32 %r11, 0;\n"
			  "mul.wide.u32 %rd9, %r10, 256; add.s64 %rd8, %rd8, %rd9;\n");
	for (unsigned i = 0; i < 8; i++)
		buffer_printf(text, "add.s32 %%r%u, %%r10, %u; mul.wide.u32 %%rd%u, %%r10, %u;\n",
			      i, pick(99), i, pick(99));
	buffer_puts(text, "AGAIN:\n");
	for (unsigned i = 0; i < steps; i++)
		random_step(text, &labels);
	buffer_puts(text, "add.s32 %r11, %r11, 1; setp.lt.s32 %p3, %r11, 3; @%p3 bra AGAIN;\n");
	for (unsigned i = 0; i < 8; i++)
		buffer_printf(
			text,
			"st.global.u32 [%%rd8+%u], %%r%u; st.global.u64 [%%rd8+%u], %%rd%u;\n",
			128 + 4 * i, i, 160 + 8 * i, i);
	buffer_puts(text, "ret;\n}\n");
}

static void run_random(struct device *d, const char *body, bool plain, uint8_t *result)
{
	uint64_t x = d->buffers[0].address;
	uint32_t *words = device_bytes(d, x);

	for (unsigned i = 0; i < WORDS * LANES; i++)
		words[i] = i * 2654435761u;
	device_load(d, body);
	if (plain)
		ptx_module_keep_plain(d->module);
	assert_runs(d, "k", 1, LANES, &x, sizeof(x));
	memcpy(result, words, 4 * WORDS * LANES);
}

static void random_code_leaves_the_same_memory(void **state)
{
	static uint8_t with[4 * WORDS * LANES], without[4 * WORDS * LANES];
	struct device *d = device_new();
	uint64_t fewer = 0, all = 0;

	(void)state;
	device_buffer(d, "x", 4 * WORDS * LANES);
	for (unsigned i = 1; i <= 300; i++) {
		struct buffer text = BUFFER_INIT;

		seed = i;
		random_body(&text);
		run_random(d, buffer_text(&text), false, with);
		fewer += d->stats.warp_instructions;
		run_random(d, buffer_text(&text), true, without);
		all += d->stats.warp_instructions;
		if (memcmp(with, without, sizeof(with)))
			fail_msg("program %u:\n%s", i, buffer_text(&text));
		buffer_release(&text);
	}
	assert_true(fewer < all);
	device_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(products_go_into_additions),
		cmocka_unit_test(products_that_others_need_stay),
		cmocka_unit_test(constants_go_into_addresses),
		cmocka_unit_test(an_address_that_moves_on_stays),
		cmocka_unit_test(what_nobody_reads_goes),
		cmocka_unit_test(a_branch_over_another_is_turned_round),
		cmocka_unit_test(a_branch_that_others_jump_to_stays),
		cmocka_unit_test(a_fault_names_the_access_not_the_addition),
		cmocka_unit_test(random_code_leaves_the_same_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
