/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values that nobody has written, operation by operation. The reference is the machine itself: an
 * entry runs with many contents of the bytes that nobody has written, and a byte of its result all
 * of whose bits differ must not count as known: one known bit makes a byte known, as bit-fields
 * have it. Where an operation works on bits, the other bytes must count as known.
 */
#include "tests/unit/emulator/machine.h"

#include "emulator/memory/shadow.h"
#include "emulator/memory/taint-rules.h"

#define FILLS 24

struct found {
	unsigned n;
	enum taint_use use;
	uint64_t address;
};

static void on_finding(void *data, const struct gpu_fault *f)
{
	struct found *x = data;

	x->n++;
	x->use = f->use;
	x->address = f->address;
}

static void load(struct device *d, const char *operation)
{
	struct buffer ptx = BUFFER_INIT;

	buffer_printf(
		&ptx,
		".visible .entry k(.param .u64 p, .param .u64 q)\n{\n"
		".reg .pred %%p<4>; .reg .b32 %%r<20>; .reg .b64 %%rd<10>; .reg .f32 %%f<8>;\n"
		"ld.param.u64 %%rd1, [p]; ld.param.u64 %%rd2, [q]; mov.u32 %%r8, 8; mov.u32 %%r9, "
		"0x00ff5a01;\n"
		"ld.global.u32 %%r1, [%%rd1]; ld.global.u32 %%r2, [%%rd1+4]; ld.global.u64 %%rd3, "
		"[%%rd1];\n"
		"%s\n"
		"st.global.u32 [%%rd2], %%r3; st.global.u64 [%%rd2+8], %%rd4;\nret;\n}\n",
		operation);
	device_load(d, ptx.data);
	buffer_release(&ptx);
}

/* One thread; what lies at p is known where `known` has a bit. */
static void launch(struct device *d, uint64_t p, uint64_t q, uint8_t known, struct found *found)
{
	struct shadow *in = shadow_new(8), *out = shadow_new(16);
	uint64_t params[] = { p, q };
	struct machine_launch l = { .kernel = ptx_module_function(d->module, "k"),
				    .grid = { 1, 1, 1 },
				    .block = { 1, 1, 1 },
				    .params = params,
				    .params_size = sizeof(params),
				    .memory = &d->memory,
				    .threads = 1,
				    .data = found,
				    .finding = on_finding };

	for (unsigned i = 0; i < 8; i++)
		if (known >> i & 1)
			shadow_written(in, i, 1);
	shadow_free(d->buffers[0].shadow);
	shadow_free(d->buffers[1].shadow);
	d->buffers[0].shadow = in;
	d->buffers[1].shadow = out;
	d->generation++;
	if (machine_launch(&l, &d->fault, NULL, &d->err))
		fail_msg("%s %s", d->err.text, d->fault.instruction);
}

static struct device *open_device(uint64_t *p, uint64_t *q)
{
	struct device *d = device_new();

	*p = device_buffer(d, "in", 8);
	*q = device_buffer(d, "out", 16);
	return d;
}

static void close_device(struct device *d)
{
	shadow_free(d->buffers[0].shadow);
	shadow_free(d->buffers[1].shadow);
	device_free(d);
}

static uint64_t random_bits(void)
{
	static uint64_t seed = 88172645463325252u;

	seed ^= seed << 13;
	seed ^= seed >> 7;
	return seed ^= seed << 17;
}

/* bits of the result are exact: what cannot differ is known. */
static void assert_followed(const char *operation, bool exact)
{
	static const uint8_t masks[] = { 0xff, 0xf0, 0x0f, 0x0e, 0xf3, 0xa5, 0x7f, 0x00 };
	uint64_t p, q;
	struct device *d = open_device(&p, &q);

	load(d, operation);
	for (size_t m = 0; m < sizeof(masks); m++) {
		uint8_t first[16], differs[16] = { 0 }, *words;
		uint64_t written = random_bits();
		struct found found = { 0 };

		for (int i = 0; i < FILLS; i++) {
			uint64_t fill = i == 0 ? 0 : i == 1 ? ~0ull : random_bits();

			for (int b = 0; b < 8; b++)
				((uint8_t *)device_bytes(d, p))[b] =
					(uint8_t)((masks[m] >> b & 1 ? written : fill) >> 8 * b);
			memset(device_bytes(d, q), 0, 16);
			launch(d, p, q, masks[m], &found);
			if (!i)
				memcpy(first, device_bytes(d, q), 16);
			for (int b = 0; b < 16; b++)
				differs[b] |= first[b] ^ ((uint8_t *)device_bytes(d, q))[b];
		}
		assert_int_equal(found.n, 0);
		words = shadow_words(d->buffers[1].shadow);
		for (uint32_t b = 0; b < 16; b++) {
			bool stored = b < 4 || b >= 8,
			     known = !words || shadow_is_known(words, b, 1);

			if (stored && known && differs[b] == 0xff)
				fail_msg("`%s`, known %02x: byte %u is called known", operation,
					 masks[m], b);
			if (stored && exact && !known && differs[b] != 0xff)
				fail_msg("`%s`, known %02x: byte %u is called unknown", operation,
					 masks[m], b);
		}
	}
	close_device(d);
}

static void operations_on_bits_are_exact(void **state)
{
	static const char *const operations[] = {
		"mov.b32 %r3, %r1; mov.b64 %rd4, %rd3;",
		"not.b32 %r3, %r1; not.b64 %rd4, %rd3;",
		"and.b32 %r3, %r1, 0x00ff5a01; and.b64 %rd4, %rd3, 0xff00ff0000ffff;",
		"or.b32 %r3, %r1, 0xff00a5ff; or.b64 %rd4, %rd3, 0xff00ff0000ffff;",
		"xor.b32 %r3, %r1, %r2; xor.b64 %rd4, %rd3, 7;",
		"shl.b32 %r3, %r1, 8; shl.b64 %rd4, %rd3, 24;",
		"shr.u32 %r3, %r1, 16; shr.u64 %rd4, %rd3, 40;",
		"shr.u32 %r3, %r1, %r8; shl.b64 %rd4, %rd3, %r8;",
		"cvt.u32.u8 %r3, %r1; cvt.u64.u32 %rd4, %r2;",
		"mov.b64 {%r3, %r4}, %rd3; mov.b64 %rd4, {%r2, %r1};",
		"prmt.b32 %r3, %r1, %r2, 0x1607; mov.b64 %rd4, 0;",
		"bfe.u32 %r3, %r1, 8, 8; bfe.u64 %rd4, %rd3, 16, 24;",
		"bfi.b32 %r3, %r1, %r2, 8, 16; bfi.b64 %rd4, %rd3, 0, 16, 32;",
		"brev.b32 %r3, %r1; brev.b64 %rd4, %rd3;",
		"shf.l.wrap.b32 %r3, %r1, %r2, 16; mov.b64 %rd4, 1;",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++)
		assert_followed(operations[i], true);
}

static void other_operations_call_nothing_known_that_is_not(void **state)
{
	static const char *const operations[] = {
		"add.u32 %r3, %r1, %r2; add.s64 %rd4, %rd3, 77;",
		"sub.u32 %r3, %r1, %r2; sub.s64 %rd4, 5, %rd3;",
		"mul.lo.u32 %r3, %r1, 3; mul.wide.u32 %rd4, %r1, %r2;",
		"mad.lo.u32 %r3, %r1, %r2, %r9; mul.lo.s64 %rd4, %rd3, 5;",
		"mul.hi.u32 %r3, %r1, %r2; mul.hi.u64 %rd4, %rd3, %rd3;",
		"min.s32 %r3, %r1, %r2; max.u64 %rd4, %rd3, 5;",
		"neg.s32 %r3, %r1; neg.s64 %rd4, %rd3;",
		"abs.s32 %r3, %r1; abs.s64 %rd4, %rd3;",
		"popc.b32 %r3, %r1; cvt.u64.u32 %rd4, %r3;",
		"clz.b32 %r3, %r1; mov.b64 %rd4, 0;",
		"cvt.s32.s8 %r3, %r1; cvt.s64.s32 %rd4, %r1;",
		"shr.s32 %r3, %r1, 8; shr.s64 %rd4, %rd3, 9;",
		"shl.b32 %r3, %r9, %r1; shr.u64 %rd4, 77, %r1;",
		"lop3.b32 %r3, %r1, %r2, %r9, 0x96; mov.b64 %rd4, 0;",
		"lop3.b32 %r3, %r1, %r2, %r9, 0xe8; mov.b64 %rd4, 0;",
		"dp4a.u32.u32 %r3, %r1, %r2, %r9; mov.b64 %rd4, 0;",
		"mov.b32 %f1, %r1; add.rn.f32 %f2, %f1, 0f3f800000; mov.b32 %r3, %f2; mov.b64 "
		"%rd4, 0;",
		"cvt.rn.f32.u32 %f1, %r1; mov.b32 %r3, %f1; mov.b64 %rd4, 0;",
		"setp.lt.u32 %p1, %r1, %r2; selp.b32 %r3, %r8, %r9, %p1; selp.b64 %rd4, 1, 256, "
		"%p1;",
		"setp.eq.u32 %p1, %r1, %r2; setp.ne.u32 %p2, %r1, 0; and.pred %p3, %p1, %p2; "
		"selp.b32 %r3, 1, 0, %p3; mov.b64 %rd4, 0;",
		"setp.gt.s32 %p1, %r8, %r9; selp.b32 %r3, %r1, %r2, %p1; mov.b64 %rd4, 0;",
		"add.cc.u32 %r3, %r1, %r2; addc.u32 %r4, 0, 0; mov.b64 %rd4, {%r4, %r9};",
		"shfl.sync.idx.b32 %r3, %r1, 0, 31, 0xffffffff; mov.b64 %rd4, 0;",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++)
		assert_followed(operations[i], false);
}

static void uses_are_told(void **state)
{
	static const struct {
		const char *operation;
		uint8_t known;
		enum taint_use use; /* NONE: nothing is told */
		unsigned at;        /* where the byte was loaded */
	} cases[] = {
		{ "setp.gt.u32 %p1, %r1, 5; @%p1 bra OUT; OUT:", 0xf0, TAINT_USE_BRANCH, 0 },
		{ "setp.gt.u32 %p1, %r2, 5; @%p1 bra OUT; OUT:", 0x0f, TAINT_USE_BRANCH, 4 },
		{ "setp.gt.u32 %p1, %r2, 5; @%p1 bra OUT; OUT:", 0xf0, TAINT_USE_NONE, 0 },
		/* Known bits that differ decide. */
		{ "and.b32 %r4, %r1, 0xff; setp.eq.u32 %p1, %r4, 0x1ff; @%p1 bra OUT; OUT:", 0xf0,
		  TAINT_USE_NONE, 0 },
		{ "and.b32 %r4, %r1, 0xff00; setp.ne.u32 %p1, %r4, 0; @%p1 bra OUT; OUT:", 0xf2,
		  TAINT_USE_NONE, 0 },
		{ "and.b32 %r4, %r1, 4; cvt.u64.u32 %rd5, %r4; add.s64 %rd5, %rd5, %rd2; "
		  "st.global.u32 [%rd5], 1;",
		  0xf0, TAINT_USE_ADDRESS, 0 },
		{ "atom.global.add.u32 %r4, [%rd1], 1;", 0xf0, TAINT_USE_ATOMIC, 0 },
		{ "atom.global.add.u32 %r4, [%rd1+4], 1;", 0xf0, TAINT_USE_NONE, 0 },
		{ "add.u32 %r4, %r1, %r2; xor.b32 %r5, %r4, %r4; mul.lo.u32 %r6, %r1, 0;", 0x00,
		  TAINT_USE_NONE, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buffer body = BUFFER_INIT;
		struct found found = { 0 };
		uint64_t p, q;
		struct device *d = open_device(&p, &q);

		buffer_printf(&body, "%s mov.u32 %%r3, 0; mov.u64 %%rd4, 0;", cases[i].operation);
		load(d, body.data);
		launch(d, p, q, cases[i].known, &found);
		if (found.n != (cases[i].use != TAINT_USE_NONE) || found.use != cases[i].use ||
		    (found.n && found.address != p + cases[i].at))
			fail_msg("`%s`: %u findings, use %d, at byte %d", cases[i].operation,
				 found.n, (int)found.use, (int)(found.address - p));
		buffer_release(&body);
		close_device(d);
	}
}

static void rules_come_from_names(void **state)
{
	(void)state;
	assert_int_equal(taint_rule(OP_mov_b32)->class, TAINT_COPY);
	assert_int_equal(taint_rule(OP_and_b32)->class, TAINT_AND);
	assert_int_equal(taint_rule(OP_add_u32)->class, TAINT_UPWARD);
	assert_int_equal(taint_rule(OP_add_f32)->class, TAINT_ANY);
	assert_int_equal(taint_rule(OP_setp_eq_u32)->class, TAINT_EQUAL);
	assert_int_equal(taint_rule(OP_cvt_u64_u32)->class, TAINT_MOVED);
	assert_int_equal(taint_rule(OP_ld_global_b32v2)->class, TAINT_LOAD);
	assert_int_equal(taint_rule(OP_ld_global_b32v2)->size, 4);
	assert_int_equal(taint_rule(OP_ld_global_b32v2)->count, 2);
	assert_int_equal(taint_rule(OP_st_local_b64)->class, TAINT_STORE);
	assert_int_equal(taint_rule(OP_st_local_b64)->space, PTX_SPACE_LOCAL);
	assert_int_equal(taint_bits(TAINT_TYPE_f16), 16);
	assert_int_equal(taint_bits(TAINT_TYPE__), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operations_on_bits_are_exact),
		cmocka_unit_test(other_operations_call_nothing_known_that_is_not),
		cmocka_unit_test(uses_are_told),
		cmocka_unit_test(rules_come_from_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
