/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random PTX programs, interpreted and compiled: what they leave in memory and how they fault must
 * be the same. `test-hot-random COUNT SEED` runs as many as wanted; a difference is printed with
 * its program and its seed.
 *
 * A program works on a few registers of each type with statements, branches, loops of bounded
 * length and accesses to memory, some of them past its end, and then stores all registers. An f64
 * NaN is stored as one value, since which of two NaNs passes on is not said.
 */
#include "tests/unit/emulator/machine.h"

#define COUNT 60
#define SEED 1
#define THREADS 80
#define SLOTS 16 /* 8 bytes each, for the registers of a thread */
#define POOL 256 /* words that all threads read and write */

static uint64_t state_word;
static int labels;

/* 0..below-1 */
static uint32_t pick(uint32_t below)
{
	state_word ^= state_word << 13;
	state_word ^= state_word >> 7;
	state_word ^= state_word << 17;
	return (uint32_t)((state_word * 0x2545f4914f6cdd1dull) >> 33) % below;
}

static const char *const integer_forms[] = {
	"add.u32 R, R, R;",
	"sub.s32 R, R, R;",
	"mul.lo.s32 R, R, R;",
	"mul.hi.u32 R, R, R;",
	"mad.lo.s32 R, R, R, R;",
	"and.b32 R, R, R;",
	"or.b32 R, R, R;",
	"xor.b32 R, R, R;",
	"shl.b32 R, R, N;",
	"shr.u32 R, R, N;",
	"shr.s32 R, R, R;",
	"min.s32 R, R, R;",
	"max.u32 R, R, R;",
	"popc.b32 R, R;",
	"clz.b32 R, R;",
	"brev.b32 R, R;",
	"bfe.u32 R, R, N, N;",
	"bfi.b32 R, R, R, N, N;",
	"lop3.b32 R, R, R, R, 0x96;",
	"prmt.b32 R, R, R, R;",
	"div.s32 R, R, R;",
	"rem.u32 R, R, R;",
	"abs.s32 R, R;",
	"neg.s32 R, R;",
	"not.b32 R, R;",
	"selp.b32 R, R, R, P;",
	"mov.u32 R, R;",
	"mov.u32 R, I;",
	"add.s32 R, R, I;",
	"sad.u32 R, R, R, R;",
	"add.cc.u32 R, R, R;",
	"addc.u32 R, R, R;",
	"slct.b32.s32 R, R, R, R;",
	"shf.l.wrap.b32 R, R, R, N;",
	"dp4a.u32.u32 R, R, R, R;",
	"vadd2.u32.u32.u32 R, R, R, R;",
	"cvt.u32.u64 R, A;",
	"cvt.s8.s32 R, R;",
	"mov.b32 R, F;",
	"cvt.rzi.s32.f32 R, F;",
	"cvt.rni.u32.f32 R, F;",
	"cvt.rzi.s32.f64 R, D;",
};
static const char *const wide_forms[] = {
	"add.u64 A, A, A;",      "sub.s64 A, A, A;",      "mul.lo.u64 A, A, A;",
	"mul.wide.u32 A, R, R;", "mul.wide.s32 A, R, R;", "mad.wide.u32 A, R, R, A;",
	"cvt.u64.u32 A, R;",     "cvt.s64.s32 A, R;",     "shl.b64 A, A, N;",
	"shr.s64 A, A, N;",      "xor.b64 A, A, A;",      "selp.b64 A, A, A, P;",
	"mov.u64 A, A;",         "min.s64 A, A, A;",      "mul.hi.u64 A, A, A;",
	"popc.b64 R, A;",        "mov.b64 {R, R}, A;",    "mov.b64 A, {R, R};",
};
static const char *const float_forms[] = {
	"add.f32 F, F, F;",
	"sub.f32 F, F, F;",
	"mul.f32 F, F, F;",
	"fma.rn.f32 F, F, F, F;",
	"min.f32 F, F, F;",
	"max.f32 F, F, F;",
	"neg.f32 F, F;",
	"abs.f32 F, F;",
	"sqrt.rn.f32 F, F;",
	"div.rn.f32 F, F, F;",
	"mov.f32 F, F;",
	"selp.f32 F, F, F, P;",
	"cvt.rn.f32.s32 F, R;",
	"cvt.rn.f32.u32 F, R;",
	"mov.b32 F, R;",
	"add.ftz.f32 F, F, F;",
	"fma.rn.sat.f32 F, F, F, F;",
	"add.rz.f32 F, F, F;",
	"ex2.approx.f32 F, F;",
	"copysign.f32 F, F, F;",
	"cvt.rn.f32.f64 F, D;",
	"mov.f32 F, 0f7FC01234;",
	"mov.f32 F, 0f3F800000;",
	"cvt.rmi.f32.f32 F, F;",
};
static const char *const double_forms[] = {
	"add.f64 D, D, D;",  "mul.f64 D, D, D;",     "fma.rn.f64 D, D, D, D;",
	"cvt.f64.f32 D, F;", "cvt.rn.f64.s32 D, R;", "min.f64 D, D, D;",
	"neg.f64 D, D;",     "mov.f64 D, D;",        "sqrt.rn.f64 D, D;",
};
static const char *const predicate_forms[] = {
	"setp.lt.s32 P, R, R;",
	"setp.eq.u32 P, R, R;",
	"setp.ge.u32 P, R, R;",
	"setp.gt.f32 P, F, F;",
	"setp.neu.f32 P, F, F;",
	"setp.lt.f64 P, D, D;",
	"setp.ne.s64 P, A, A;",
	"and.pred P, P, P;",
	"or.pred P, P, P;",
	"not.pred P, P;",
	"xor.pred P, P, P;",
	"mov.pred P, P;",
	"setp.lt.and.s32 P, R, R, P;",
	"testp.notanumber.f32 P, F;",
	"setp.lt.s32 P|P, R, R;",
};

struct forms {
	const char *const *list;
	uint32_t count;
};
#define FORMS(list) { list, sizeof(list) / sizeof(list[0]) }
static const struct forms all_forms[] = {
	FORMS(integer_forms), FORMS(integer_forms), FORMS(wide_forms),
	FORMS(float_forms),   FORMS(double_forms),  FORMS(predicate_forms),
};

/* Letters of a form become registers and numbers. */
static void write_form(struct buffer *t, const char *form)
{
	for (const char *c = form; *c; c++) {
		bool alone = (c == form || strchr(" {|", c[-1])) && strchr(",;|}", c[1]);

		if (!alone)
			buffer_append(t, c, 1);
		else if (*c == 'R')
			buffer_printf(t, "%%r%u", pick(6));
		else if (*c == 'A')
			buffer_printf(t, "%%a%u", pick(3));
		else if (*c == 'F')
			buffer_printf(t, "%%f%u", pick(4));
		else if (*c == 'D')
			buffer_printf(t, "%%d%u", pick(2));
		else if (*c == 'P')
			buffer_printf(t, "%%p%u", pick(4));
		else if (*c == 'N')
			buffer_printf(t, "%u", pick(33));
		else if (*c == 'I')
			buffer_printf(t, "0x%x", pick(2) ? pick(64) : pick(UINT32_MAX));
		else
			buffer_append(t, c, 1);
	}
}

/* Offsets in the pool: anywhere, lane after lane, or the same for all. */
static void write_index(struct buffer *t, uint32_t size)
{
	uint32_t last = POOL * 4 / size - 1;

	switch (pick(4)) {
	case 0:
		buffer_printf(t, "add.u32 %%t0, %%tid.x, %u;\nand.b32 %%t0, %%t0, %u;\n",
			      pick(last), last);
		break;
	case 1:
		buffer_printf(t, "add.u32 %%t0, %%ctaid.x, %u;\n", pick(last));
		break;
	default:
		buffer_printf(t, "and.b32 %%t0, %%r%u, %u;\n", pick(6), last);
	}
	buffer_printf(t, "mul.lo.u32 %%t0, %%t0, %u;\n", size);
}

/* An address in one of the pools, or now and then just past it. */
static void write_address(struct buffer *t, uint32_t size, bool shared)
{
	write_index(t, size);
	if (shared)
		buffer_puts(t, "mov.u32 %t2, pool;\nadd.u32 %t0, %t0, %t2;\n");
	else
		buffer_puts(t, "cvt.u64.u32 %t1, %t0;\nadd.u64 %t1, %t1, %pool;\n");
	if (pick(40) == 0)
		buffer_printf(t, shared ? "add.u32 %%t0, %%t0, %u;\n" : "add.u64 %%t1, %%t1, %u;\n",
			      pick(2) ? POOL * 2 : 1);
}

/* S: the space, T: the address. */
static void write_access(struct buffer *t)
{
	static const struct {
		const char *form;
		uint32_t size;
	} forms[] = {
		{ "ld.S.u32 R, [T];", 4 },
		{ "st.S.u32 [T], R;", 4 },
		{ "ld.S.f32 F, [T];", 4 },
		{ "st.S.f32 [T], F;", 4 },
		{ "ld.S.s8 R, [T];", 4 },
		{ "st.S.u16 [T], R;", 4 },
		{ "ld.S.u16 R, [T];", 2 },
		{ "st.S.u8 [T], R;", 1 },
		{ "ld.volatile.S.u32 R, [T];", 4 },
		{ "red.S.add.u32 [T], R;", 4 },
		{ "ld.S.u64 A, [T];", 8 },
		{ "st.S.u64 [T], A;", 8 },
		{ "ld.S.v2.u32 {%r0, %r1}, [T];", 8 },
		{ "st.S.v2.u32 [T], {R, R};", 8 },
		{ "ld.S.v4.f32 {%f0, %f1, %f2, %f3}, [T];", 16 },
		{ "st.S.v4.u32 [T], {R, R, R, R};", 16 },
		{ "ld.S.v2.u64 {%a0, %a1}, [T];", 16 },
		{ "st.S.v4.u8 [T], {R, R, R, R};", 4 },
	};
	uint32_t which = pick(sizeof(forms) / sizeof(forms[0]));
	bool shared = pick(3) == 0;
	char form[128], *to = form;

	write_address(t, forms[which].size, shared);
	if (pick(5) == 0)
		buffer_printf(t, "@%s%%p%u ", pick(2) ? "!" : "", pick(4));
	for (const char *c = forms[which].form; *c; c++)
		to += *c == 'S' || *c == 'T' ? sprintf(to, "%s",
						       *c == 'S' ? (shared ? "shared" : "global")
						       : shared  ? "%t0"
								 : "%t1")
					     : sprintf(to, "%c", *c);
	write_form(t, form);
	buffer_puts(t, "\n");
}

static void write_statement(struct buffer *t)
{
	const struct forms *f = &all_forms[pick(sizeof(all_forms) / sizeof(all_forms[0]))];
	const char *form = f->list[pick(f->count)];

	if (pick(6) == 0) {
		write_access(t);
		return;
	}
	if (pick(6) == 0)
		buffer_printf(t, "@%s%%p%u ", pick(2) ? "!" : "", pick(4));
	write_form(t, form);
	buffer_puts(t, "\n");
}

static void write_block(struct buffer *t, int depth);

static void write_branch(struct buffer *t, int depth)
{
	int label = labels++;

	buffer_printf(t, "@%s%%p%u bra E%d;\n", pick(2) ? "!" : "", pick(4), label);
	write_block(t, depth);
	if (pick(2)) {
		buffer_printf(t, "bra D%d;\n", label);
		buffer_printf(t, "E%d:\n", label);
		write_block(t, depth);
		buffer_printf(t, "D%d:\n", label);
	} else {
		buffer_printf(t, "E%d:\n", label);
	}
}

/* As often as a number says that differs from lane to lane, or the same for all; some lanes may
 * leave in the middle. */
static void write_loop(struct buffer *t, int depth)
{
	int label = labels++;
	bool is_left = pick(2);

	if (pick(2))
		buffer_printf(t, "and.b32 %%n%d, %%r%u, 7;\n", depth, pick(6));
	else
		buffer_printf(t, "mov.u32 %%n%d, %u;\n", depth, 1 + pick(9));
	buffer_printf(t, "L%d:\n", label);
	if (pick(2))
		for (uint32_t i = 2 + pick(12); i; i--) {
			if (is_left && !pick(4))
				buffer_printf(t, "@%s%%p%u bra X%d;\n", pick(2) ? "!" : "", pick(4),
					      label);
			write_statement(t);
		}
	else
		write_block(t, depth);
	buffer_printf(
		t, "add.s32 %%n%d, %%n%d, -1;\nsetp.gt.s32 %%q, %%n%d, 0;\n@%%q bra L%d;\nX%d:\n",
		depth, depth, depth, label, label);
}

static void write_block(struct buffer *t, int depth)
{
	for (uint32_t i = 1 + pick(5); i; i--) {
		uint32_t what = depth > 0 ? pick(8) : 7;

		if (what == 0)
			write_branch(t, depth - 1);
		else if (what == 1)
			write_loop(t, depth - 1);
		else
			write_statement(t);
	}
}

static void write_program(struct buffer *t)
{
	labels = 0;
	buffer_printf(t,
		      ".visible .entry k(.param .u64 p, .param .u64 q)\n{\n.reg .b64 %%a<4>, %%t1, "
		      "%%out, %%pool; .reg .b32 %%r<8>, %%t0, %%t2, %%n<4>; .shared .align 16 .b8 "
		      "pool[%u];\n.reg .f32 %%f<4>; .reg .f64 %%d<2>; .reg .pred %%p<4>, %%q;\n"
		      "ld.param.u64 %%out, [p]; ld.param.u64 %%pool, [q]; mov.u32 %%r0, %%tid.x; "
		      "mov.u32 %%r1, %%ctaid.x;\n"
		      "mov.u32 %%r2, %%ntid.x; mad.lo.u32 %%r3, %%r1, %%r2, %%r0; mul.wide.u32 "
		      "%%a0, %%r3, %u;\n"
		      "add.u64 %%out, %%out, %%a0; mov.u32 %%r4, %u; mul.lo.u32 %%r5, %%r3, "
		      "0x9e3779b1; cvt.u64.u32 %%a1, %%r5;\n"
		      "shl.b64 %%a2, %%a1, 17; cvt.rn.f32.s32 %%f0, %%r5; mov.f32 %%f1, "
		      "0f40490FDB; mov.b32 %%f2, %%r5;\n"
		      "mov.f32 %%f3, 0f7F800000; cvt.f64.f32 %%d0, %%f0; cvt.f64.f32 %%d1, %%f1;\n"
		      "setp.gt.u32 %%p0, %%r0, 9; setp.lt.s32 %%p1, %%r5, 0; setp.eq.u32 %%p2, "
		      "%%r1, 1; not.pred %%p3, %%p0;\n",
		      POOL * 4, SLOTS * 8, pick(UINT32_MAX));
	/* What has passed a barrier as a whole is known to be written; else each access looks. */
	buffer_printf(t,
		      "and.b32 %%t0, %%r0, 63; mul.lo.u32 %%t0, %%t0, 16; mov.u32 %%t2, pool; "
		      "add.u32 %%t0, %%t0, %%t2;\n"
		      "st.shared.v4.u32 [%%t0], {%%r0, %%r3, %%r4, %%r5};\n%s\n",
		      pick(2) ? "bar.sync 0;" : "");
	for (uint32_t i = 2 + pick(4); i; i--)
		write_block(t, 2);
	for (int i = 0; i < 6; i++)
		buffer_printf(t, "st.global.u32 [%%out+%d], %%r%d;\n", 4 * i, i);
	for (int i = 0; i < 4; i++)
		buffer_printf(t, "st.global.f32 [%%out+%d], %%f%d;\n", 24 + 4 * i, i);
	for (int i = 0; i < 3; i++)
		buffer_printf(t, "st.global.u64 [%%out+%d], %%a%d;\n", 40 + 8 * i, i);
	for (int i = 0; i < 2; i++)
		buffer_printf(
			t,
			"testp.notanumber.f64 %%q, %%d%d; @%%q mov.f64 %%d%d, 0d7FF8000000000000;\n"
			"st.global.f64 [%%out+%d], %%d%d;\n",
			i, i, 64 + 8 * i, i);
	for (int i = 0; i < 4; i++)
		buffer_printf(t, "selp.u32 %%r6, 1, 0, %%p%d; st.global.u32 [%%out+%d], %%r6;\n", i,
			      80 + 4 * i);
	buffer_puts(t, "ret;\n}\n");
}

struct outcome {
	int rc;
	uint64_t instructions;
	uint64_t out[2 * THREADS * SLOTS];
	uint32_t pool[POOL];
	char fault[2048];
};

static void run(const char *text, bool compiled, struct outcome *ret)
{
	struct device *d = device_new();
	struct buffer fault = BUFFER_INIT;
	uint64_t params[] = { device_buffer(d, "out", sizeof(ret->out)),
			      device_buffer(d, "pool", sizeof(ret->pool)) };
	uint32_t *pool = device_bytes(d, params[1]);

	memset(ret, 0, sizeof(*ret));
	d->compiled = compiled;
	for (uint32_t i = 0; i < POOL; i++)
		pool[i] = i * 0x01234567u;
	device_load(d, text);
	ret->rc = device_launch(d, "k", 2, THREADS, params, sizeof(params));
	if (ret->rc < 0)
		fail_msg("%s", d->err.text);
	ret->instructions = d->stats.warp_instructions;
	memcpy(ret->out, device_bytes(d, params[0]), sizeof(ret->out));
	memcpy(ret->pool, pool, sizeof(ret->pool));
	if (ret->rc)
		gpu_fault_print(&d->fault, &fault);
	snprintf(ret->fault, sizeof(ret->fault), "%s", buffer_text(&fault));
	buffer_release(&fault);
	device_free(d);
}

static unsigned long count = COUNT, seed = SEED;

static void random_programs_do_the_same(void **state)
{
	static struct outcome interpreted, compiled;

	(void)state;
	for (unsigned long i = 0; i < count; i++) {
		struct buffer text = BUFFER_INIT;

		state_word = (seed + i) * 0x9e3779b97f4a7c15ull;
		write_program(&text);
		run(buffer_text(&text), false, &interpreted);
		run(buffer_text(&text), true, &compiled);
		if (memcmp(&interpreted, &compiled, sizeof(compiled))) {
			for (size_t k = 0; k < sizeof(interpreted.out) / sizeof(interpreted.out[0]);
			     k++)
				if (interpreted.out[k] != compiled.out[k]) {
					print_message(
						"thread %zu, slot %zu: 0x%llx, compiled 0x%llx\n",
						k / SLOTS, k % SLOTS,
						(unsigned long long)interpreted.out[k],
						(unsigned long long)compiled.out[k]);
					break;
				}
			printf("%s\ninterpreted: %d, %llu operations\n%s\ncompiled: %d, %llu "
			       "operations\n%s\n",
			       buffer_text(&text), interpreted.rc,
			       (unsigned long long)interpreted.instructions, interpreted.fault,
			       compiled.rc, (unsigned long long)compiled.instructions,
			       compiled.fault);
			fail_msg("the program of seed %lu is another one when it is compiled",
				 seed + i);
		}
		buffer_release(&text);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(random_programs_do_the_same) };

	if (argc > 1)
		count = strtoul(argv[1], NULL, 10);
	if (argc > 2)
		seed = strtoul(argv[2], NULL, 10);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
