/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matrix instructions against products made here element by element; fragments of mma are filled by
 * the formulas that the ISA prints for each shape. Then asynchronous copies and mbarrier objects.
 */
#include "emulator/warp/lane-math.h"
#include "tests/unit/emulator/machine.h"

/* Small whole numbers are exact in every element type. */
static int number_a(unsigned row, unsigned column)
{
	return (int)((row * 7 + column * 3) % 11) - 5;
}

static int number_b(unsigned row, unsigned column)
{
	return (int)((row * 5 + column * 13) % 9) - 4;
}

static int number_c(unsigned row, unsigned column)
{
	return (int)(row + 2 * column) - 20;
}

static int product(unsigned row, unsigned column, unsigned k)
{
	int sum = number_c(row, column);

	for (unsigned i = 0; i < k; i++)
		sum += number_a(row, i) * number_b(i, column);
	return sum;
}

enum element { HALF, BFLOAT, SINGLE, DOUBLE, BYTE };

static uint64_t bits(enum element e, int v)
{
	switch (e) {
	case HALF:
		return float_to_half((float)v);
	case BFLOAT:
		return bits_of((float)v) >> 16;
	case SINGLE:
		return bits_of((float)v);
	case DOUBLE:
		return double_bits(v);
	default:
		return (uint8_t)v;
	}
}

static unsigned bytes(enum element e)
{
	return e == DOUBLE ? 8 : e == SINGLE ? 4 : e == BYTE ? 1 : 2;
}

/* wmma from and to global memory, whole matrices. */
static void check_wmma(unsigned m, unsigned n, unsigned k, enum element e, const char *type,
		       const char *target, const char *product_types, unsigned registers[3],
		       bool b_by_rows)
{
	struct device *d = device_new();
	struct buffer t = BUFFER_INIT;
	char shape[32];
	uint64_t p[4] = { device_buffer(d, "a", m * k * 8), device_buffer(d, "b", k * n * 8),
			  device_buffer(d, "c", m * n * 8), device_buffer(d, "d", m * n * 8) };
	bool whole = e == BYTE;
	unsigned wide = e == DOUBLE ? 8 : 4;
	static const char names[] = "abc";

	snprintf(shape, sizeof(shape), "m%un%uk%u", m, n, k);
	for (unsigned i = 0; i < m * k; i++) {
		uint64_t v = bits(e, number_a(i / k, i % k));

		memcpy((char *)device_bytes(d, p[0]) + i * bytes(e), &v, bytes(e));
	}
	for (unsigned i = 0; i < k * n; i++) {
		unsigned row = b_by_rows ? i / n : i % k, column = b_by_rows ? i % n : i / k;
		uint64_t v = bits(e, number_b(row, column));

		memcpy((char *)device_bytes(d, p[1]) + i * bytes(e), &v, bytes(e));
	}
	for (unsigned i = 0; i < m * n; i++) {
		int c = number_c(i / n, i % n);
		uint64_t v = whole ? (uint32_t)c : bits(e == DOUBLE ? DOUBLE : SINGLE, c);

		memcpy((char *)device_bytes(d, p[2]) + i * wide, &v, wide);
	}
	buffer_puts(&t, ".visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param "
			".u64 pd)\n{\n"
			".reg .b64 %rd<5>;\n");
	for (int i = 0; i < 3; i++)
		buffer_printf(&t, ".reg .b%u %%%c<16>;\n", wide * 8, names[i]);
	buffer_puts(&t,
		    "ld.param.u64 %rd0, [pa]; ld.param.u64 %rd1, [pb]; ld.param.u64 %rd2, [pc];\n"
		    "ld.param.u64 %rd3, [pd];\n");
#define FRAGMENT(c, count)                                                                         \
	do {                                                                                       \
		for (unsigned r_ = 0; r_ < (count); r_++)                                          \
			buffer_printf(&t, "%s%%%c%u", r_ ? ", " : "{", (c), r_);                   \
		buffer_puts(&t, "}");                                                              \
	} while (0)
	for (int i = 0; i < 3; i++) {
		unsigned stride = i == 0 ? k : i == 1 ? (b_by_rows ? n : k) : n;

		buffer_printf(&t, "wmma.load.%c.sync.aligned.%s.%s.global.%s ", names[i],
			      i == 1 && !b_by_rows ? "col" : "row", shape, i == 2 ? target : type);
		FRAGMENT(names[i], registers[i]);
		buffer_printf(&t, ", [%%rd%d], %u;\n", i, stride);
	}
	buffer_printf(&t, "wmma.mma.sync.aligned.row.%s.%s.%s ", b_by_rows ? "row" : "col", shape,
		      product_types);
	FRAGMENT('c', registers[2]);
	buffer_puts(&t, ", ");
	FRAGMENT('a', registers[0]);
	buffer_puts(&t, ", ");
	FRAGMENT('b', registers[1]);
	buffer_puts(&t, ", ");
	FRAGMENT('c', registers[2]);
	buffer_printf(&t, ";\nwmma.store.d.sync.aligned.row.%s.global.%s [%%rd3], ", shape, target);
	FRAGMENT('c', registers[2]);
	buffer_printf(&t, ", %u;\nret;\n}\n", n);
	device_load(d, buffer_text(&t));
	assert_runs(d, "k", 1, 32, p, sizeof(p));
	for (unsigned i = 0; i < m * n; i++) {
		int expected = product(i / n, i % n, k);
		uint64_t v = 0;

		memcpy(&v, (char *)device_bytes(d, p[3]) + i * wide, wide);
		if (v !=
		    (whole ? (uint32_t)expected : bits(e == DOUBLE ? DOUBLE : SINGLE, expected)))
			fail_msg("%s %s: element (%u,%u) is 0x%llx, expected %d", shape, type,
				 i / n, i % n, (unsigned long long)v, expected);
	}
	buffer_release(&t);
	device_free(d);
}

static void wmma_multiplies_matrices_in_memory(void **state)
{
	(void)state;
	check_wmma(16, 16, 16, HALF, "f16", "f32", "f32.f32", (unsigned[]){ 8, 8, 8 }, false);
	check_wmma(16, 16, 16, HALF, "f16", "f32", "f32.f32", (unsigned[]){ 8, 8, 8 }, true);
	check_wmma(32, 8, 16, HALF, "f16", "f32", "f32.f32", (unsigned[]){ 8, 8, 8 }, false);
	check_wmma(8, 32, 16, HALF, "f16", "f32", "f32.f32", (unsigned[]){ 8, 8, 8 }, false);
	check_wmma(16, 16, 16, BFLOAT, "bf16", "f32", "f32.bf16.bf16.f32", (unsigned[]){ 4, 4, 8 },
		   false);
	check_wmma(32, 8, 16, BFLOAT, "bf16", "f32", "f32.bf16.bf16.f32", (unsigned[]){ 8, 2, 8 },
		   false);
	check_wmma(16, 16, 8, SINGLE, "tf32", "f32", "f32.tf32.tf32.f32", (unsigned[]){ 4, 4, 8 },
		   false);
	check_wmma(16, 16, 16, BYTE, "s8", "s32", "s32.s8.s8.s32", (unsigned[]){ 2, 2, 8 }, false);
	check_wmma(8, 32, 16, BYTE, "s8", "s32", "s32.s8.s8.s32", (unsigned[]){ 1, 4, 8 }, false);
	check_wmma(8, 8, 4, DOUBLE, "f64", "f64", "f64.f64.f64.f64.rn", (unsigned[]){ 1, 1, 2 },
		   false);
}

/* The ISA's formulas for mma.m16n8k16 with 16-bit elements and for mma.m16n8k32 with bytes. */
static void check_mma_halves(const char *types, enum element e)
{
	struct device *d = device_new();
	struct buffer t = BUFFER_INIT;
	uint64_t p[1] = { device_buffer(d, "cells", LANES * 64) };
	uint32_t(*cell)[16] = device_bytes(d, p[0]);

	for (unsigned lane = 0; lane < LANES; lane++) {
		unsigned group = lane >> 2, in_group = lane % 4;

		for (unsigned i = 0; i < 8; i++) {
			unsigned row = (i < 2 || (i >= 4 && i < 6)) ? group : group + 8;
			unsigned column = in_group * 2 + (i & 1) + (i >= 4 ? 8 : 0);

			cell[lane][i / 2] |= (uint32_t)bits(e, number_a(row, column))
					     << 16 * (i & 1);
		}
		for (unsigned i = 0; i < 4; i++) {
			unsigned row = in_group * 2 + (i & 1) + (i >= 2 ? 8 : 0);

			cell[lane][4 + i / 2] |= (uint32_t)bits(e, number_b(row, group))
						 << 16 * (i & 1);
		}
		for (unsigned i = 0; i < 4; i++)
			cell[lane][6 + i] =
				(uint32_t)bits(SINGLE, number_c(i < 2 ? group : group + 8,
								in_group * 2 + (i & 1)));
	}
	buffer_printf(&t,
		      ".visible .entry k(.param .u64 p)\n{ .reg .b64 %%rd<3>; .reg .b32 %%r<16>; "
		      ".reg .b32 %%t;\n"
		      "ld.param.u64 %%rd0, [p]; mov.u32 %%t, %%tid.x; mul.wide.u32 %%rd1, %%t, 64; "
		      "add.s64 %%rd0, %%rd0, %%rd1;\n"
		      "ld.global.v4.u32 {%%r0,%%r1,%%r2,%%r3}, [%%rd0]; ld.global.v2.u32 "
		      "{%%r4,%%r5}, [%%rd0+16];\n"
		      "ld.global.v2.u32 {%%r6,%%r7}, [%%rd0+24]; ld.global.v2.u32 {%%r8,%%r9}, "
		      "[%%rd0+32];\n"
		      "mma.sync.aligned.m16n8k16.row.col.%s {%%r6,%%r7,%%r8,%%r9}, "
		      "{%%r0,%%r1,%%r2,%%r3}, {%%r4,%%r5},\n"
		      "{%%r6,%%r7,%%r8,%%r9};\n"
		      "st.global.v2.u32 [%%rd0+24], {%%r6,%%r7}; st.global.v2.u32 [%%rd0+32], "
		      "{%%r8,%%r9}; ret; }\n",
		      types);
	device_load(d, buffer_text(&t));
	assert_runs(d, "k", 1, LANES, p, sizeof(p));
	for (unsigned lane = 0; lane < LANES; lane++)
		for (unsigned i = 0; i < 4; i++) {
			unsigned row = (lane >> 2) + (i < 2 ? 0 : 8),
				 column = lane % 4 * 2 + (i & 1);

			assert_int_equal(cell[lane][6 + i],
					 (uint32_t)bits(SINGLE, product(row, column, 16)));
		}
	buffer_release(&t);
	device_free(d);
}

static void mma_takes_the_fragments_of_the_manual(void **state)
{
	(void)state;
	check_mma_halves("f32.f16.f16.f32", HALF);
	check_mma_halves("f32.bf16.bf16.f32", BFLOAT);
}

static void mma_of_bytes(void **state)
{
	struct device *d = device_new();
	uint64_t p[1] = { device_buffer(d, "cells", LANES * 64) };
	uint32_t(*cell)[16] = device_bytes(d, p[0]);

	(void)state;
	for (unsigned lane = 0; lane < LANES; lane++) {
		unsigned group = lane >> 2, in_group = lane % 4;

		for (unsigned i = 0; i < 16; i++) {
			unsigned row = (i < 4 || (i >= 8 && i < 12)) ? group : group + 8;
			unsigned column = in_group * 4 + (i & 3) + (i >= 8 ? 16 : 0);

			cell[lane][i / 4] |= (uint32_t)bits(BYTE, number_a(row, column))
					     << 8 * (i & 3);
		}
		for (unsigned i = 0; i < 8; i++) {
			unsigned row = in_group * 4 + (i & 3) + (i >= 4 ? 16 : 0);

			cell[lane][4 + i / 4] |= (uint32_t)bits(BYTE, number_b(row, group))
						 << 8 * (i & 3);
		}
		for (unsigned i = 0; i < 4; i++)
			cell[lane][6 + i] = (uint32_t)number_c(i < 2 ? group : group + 8,
							       in_group * 2 + (i & 1));
	}
	device_load(
		d, ".visible .entry k(.param .u64 p)\n{ .reg .b64 %rd<3>; .reg .b32 %r<16>; .reg "
		   ".b32 %t;\n"
		   "ld.param.u64 %rd0, [p]; mov.u32 %t, %tid.x; mul.wide.u32 %rd1, %t, 64; add.s64 "
		   "%rd0, %rd0, %rd1;\n"
		   "ld.global.v4.u32 {%r0,%r1,%r2,%r3}, [%rd0]; ld.global.v2.u32 {%r4,%r5}, "
		   "[%rd0+16];\n"
		   "ld.global.v2.u32 {%r6,%r7}, [%rd0+24]; ld.global.v2.u32 {%r8,%r9}, [%rd0+32];\n"
		   "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r6,%r7,%r8,%r9}, "
		   "{%r0,%r1,%r2,%r3}, {%r4,%r5},\n"
		   "{%r6,%r7,%r8,%r9};\n"
		   "st.global.v2.u32 [%rd0+24], {%r6,%r7}; st.global.v2.u32 [%rd0+32], {%r8,%r9}; "
		   "ret; }\n");
	assert_runs(d, "k", 1, LANES, p, sizeof(p));
	for (unsigned lane = 0; lane < LANES; lane++)
		for (unsigned i = 0; i < 4; i++)
			assert_int_equal(cell[lane][6 + i],
					 (uint32_t)product((lane >> 2) + (i < 2 ? 0 : 8),
							   lane % 4 * 2 + (i & 1), 32));
	device_free(d);
}

static void ldmatrix_deals_rows_to_lanes(void **state)
{
	struct device *d = device_new();
	uint64_t p[1] = { device_buffer(d, "out", LANES * 16) };
	uint32_t(*out)[4] = device_bytes(d, p[0]);

	(void)state;
	/* Shared memory holds halves 0, 1, 2, ...: matrix m is rows 8 m to 8 m + 7 of eight halves.
	 */
	device_load(
		d,
		".visible .entry k(.param .u64 p)\n{ .reg .b64 %rd<3>; .reg .b32 %r<16>; .reg .b32 "
		"%t, %u;\n"
		".shared .align 16 .b8 tile[512];\n"
		"ld.param.u64 %rd0, [p]; mov.u32 %t, %tid.x; mul.wide.u32 %rd1, %t, 16; add.s64 "
		"%rd0, %rd0, %rd1;\n"
		"mov.u32 %u, tile; shl.b32 %r8, %t, 4; add.u32 %u, %u, %r8; shl.b32 %r9, %t, 3;\n"
		"add.u32 %r10, %r9, 1; shl.b32 %r10, %r10, 16; or.b32 %r10, %r10, %r9;\n"
		"add.u32 %r11, %r10, 0x00020002; add.u32 %r12, %r11, 0x00020002; add.u32 %r13, "
		"%r12, 0x00020002;\n"
		"st.shared.v4.u32 [%u], {%r10,%r11,%r12,%r13}; bar.warp.sync -1;\n"
		"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r0,%r1}, [%u];\n"
		"ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r4,%r5,%r2,%r3}, [%u];\n"
		"st.global.v4.u32 [%rd0], {%r0,%r1,%r2,%r3}; ret; }\n");
	assert_runs(d, "k", 1, LANES, p, sizeof(p));
	for (uint32_t lane = 0; lane < LANES; lane++) {
		uint32_t straight = lane / 4 * 8 + lane % 4 * 2, across = lane % 4 * 16 + lane / 4;

		assert_int_equal(out[lane][0], straight | (straight + 1) << 16);
		assert_int_equal(out[lane][1], (straight + 64) | (straight + 65) << 16);
		assert_int_equal(out[lane][2], (across + 128) | (across + 136) << 16);
		assert_int_equal(out[lane][3], (across + 192) | (across + 200) << 16);
	}
	device_free(d);
}

static void a_missing_lane_is_a_fault(void **state)
{
	struct device *d = device_new();
	uint64_t p[1] = { device_buffer(d, "m", 1024) };

	(void)state;
	device_load(d, ".visible .entry k(.param .u64 p)\n{ .reg .b64 %rd<3>; .reg .b32 %r<16>;\n"
		       "ld.param.u64 %rd0, [p];\n"
		       "wmma.load.c.sync.aligned.row.m16n16k16.global.f32 "
		       "{%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, [%rd0], 16;\n"
		       "ret; }\n");
	assert_int_equal(device_launch(d, "k", 1, 24, p, sizeof(p)), 1);
	assert_int_equal(d->fault.kind, GPU_FAULT_BARRIER);
	assert_non_null(strstr(d->fault.note, "needs all 32 threads"));
	device_free(d);
}

/* Warp 0 copies and arrives, warp 1 waits for the phase and reads: what was ignored reads as zero.
 */
static void mbarriers_order_asynchronous_copies(void **state)
{
	struct device *d = device_new();
	uint64_t p[2] = { device_buffer(d, "in", 32 * 16), device_buffer(d, "out", 32 * 4) };
	uint32_t *in = device_bytes(d, p[0]), *out = device_bytes(d, p[1]);

	(void)state;
	for (uint32_t i = 0; i < 128; i++)
		in[i] = 1000 + i;
	device_load(
		d, ".visible .entry k(.param .u64 p, .param .u64 q)\n{\n"
		   ".reg .b64 %rd<6>; .reg .b32 %r<16>; .reg .pred %p<4>;\n"
		   ".shared .align 16 .b8 tile[512]; .shared .align 8 .b64 phase;\n"
		   "ld.param.u64 %rd0, [p]; ld.param.u64 %rd1, [q]; mov.u32 %r0, %tid.x; and.b32 "
		   "%r1, %r0, 31;\n"
		   "mov.u32 %r2, phase; mov.u32 %r3, tile; shl.b32 %r4, %r1, 4; add.u32 %r3, %r3, "
		   "%r4;\n"
		   "setp.eq.u32 %p0, %r0, 0; @%p0 mbarrier.init.shared.b64 [%r2], 32; bar.sync 0;\n"
		   "setp.lt.u32 %p1, %r0, 32; @!%p1 bra WAIT;\n"
		   "cvt.u64.u32 %rd2, %r4; add.s64 %rd2, %rd0, %rd2; and.b32 %r5, %r1, 1; shl.b32 "
		   "%r5, %r5, 4;\n"
		   "cp.async.cg.shared.global [%r3], [%rd2], 16, %r5;\n"
		   "cp.async.mbarrier.arrive.noinc.shared.b64 [%r2]; bra END;\n"
		   "WAIT: mbarrier.try_wait.parity.shared.b64 %p2, [%r2], 0; @!%p2 bra WAIT;\n"
		   "ld.shared.u32 %r6, [%r3+8]; shl.b32 %r7, %r1, 2; cvt.u64.u32 %rd3, %r7; "
		   "add.s64 %rd3, %rd1, %rd3;\n"
		   "st.global.u32 [%rd3], %r6;\nEND: ret;\n}\n");
	assert_runs(d, "k", 1, 64, p, sizeof(p));
	for (uint32_t i = 0; i < 32; i++)
		assert_int_equal(out[i], i & 1 ? 1000 + 4 * i + 2 : 0);
	device_free(d);
}

/* One lane asks for a bulk copy; the others wait for its bytes. */
static void bulk_copies_tell_an_mbarrier(void **state)
{
	struct device *d = device_new();
	uint64_t p[2] = { device_buffer(d, "in", 256), device_buffer(d, "out", 64 * 4) };
	uint32_t *in = device_bytes(d, p[0]), *out = device_bytes(d, p[1]);

	(void)state;
	for (uint32_t i = 0; i < 64; i++)
		in[i] = 7 * i;
	device_load(d, ".visible .entry k(.param .u64 p, .param .u64 q)\n{\n"
		       ".reg .b64 %rd<6>; .reg .b32 %r<16>; .reg .pred %p<4>;\n"
		       ".shared .align 128 .b8 tile[256]; .shared .align 8 .b64 phase;\n"
		       "ld.param.u64 %rd0, [p]; ld.param.u64 %rd1, [q]; mov.u32 %r0, %tid.x; "
		       "mov.u32 %r2, phase;\n"
		       "mov.u32 %r3, tile; setp.ne.u32 %p0, %r0, 0; @%p0 bra READY;\n"
		       "mbarrier.init.shared.b64 [%r2], 1;\n"
		       "mbarrier.arrive.expect_tx.shared.b64 %rd5, [%r2], 256;\n"
		       "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], "
		       "[%rd0], 256, [%r2];\n"
		       "READY: bar.sync 0;\n"
		       "WAIT: mbarrier.try_wait.parity.shared.b64 %p2, [%r2], 0; @!%p2 bra WAIT;\n"
		       "shl.b32 %r7, %r0, 2; add.u32 %r3, %r3, %r7; ld.shared.u32 %r6, [%r3]; "
		       "cvt.u64.u32 %rd3, %r7;\n"
		       "add.s64 %rd3, %rd1, %rd3; st.global.u32 [%rd3], %r6; ret;\n}\n");
	assert_runs(d, "k", 1, 64, p, sizeof(p));
	for (uint32_t i = 0; i < 64; i++)
		assert_int_equal(out[i], 7 * i);
	device_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wmma_multiplies_matrices_in_memory),
		cmocka_unit_test(mma_takes_the_fragments_of_the_manual),
		cmocka_unit_test(mma_of_bytes),
		cmocka_unit_test(ldmatrix_deals_rows_to_lanes),
		cmocka_unit_test(a_missing_lane_is_a_fault),
		cmocka_unit_test(mbarriers_order_asynchronous_copies),
		cmocka_unit_test(bulk_copies_tell_an_mbarrier),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
