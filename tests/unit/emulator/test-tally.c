/* SPDX-License-Identifier: Apache-2.0 */
/* tally.c, profile.c, instruction.c: what device code did, counted exactly, by line of source. */
#include "emulator/profile/profile.h"

#include "common/base/clock.h"
#include "emulator/profile/instruction.h"
#include "tests/unit/emulator/machine.h"

/* Lines in front of each part of a body; `.loc` names the file at the end. */
static void profile_run(struct device *d, struct profile *p, const char *body, uint32_t grid,
			uint32_t block)
{
	struct tally t;
	struct observer *observers[] = { &t.observer };
	struct buffer ptx = BUFFER_INIT;
	uint64_t param = device_buffer(d, "data", 65536);
	struct machine_launch l = { .grid = { grid, 1, 1 }, .block = { block, 1, 1 } };

	buffer_printf(
		&ptx,
		".visible .entry k(.param .u64 p)\n{\n"
		".reg .pred %%p<8>; .reg .b32 %%r<20>; .reg .b64 %%rd<10>; .reg .f32 %%f<4>;\n"
		".shared .align 16 .b8 tile[32768]; .local .align 8 .b8 mine[64];\n"
		".loc 1 1 0\n"
		"ld.param.u64 %%rd1, [p]; mov.u32 %%r1, %%tid.x; mul.wide.u32 %%rd2, %%r1, 4;\n"
		"add.s64 %%rd3, %%rd1, %%rd2; mul.wide.u32 %%rd4, %%r1, 128; add.s64 %%rd5, %%rd1, "
		"%%rd4;\n"
		"mov.u32 %%r3, tile; shl.b32 %%r2, %%r1, 2; add.s32 %%r4, %%r3, %%r2;\n"
		"shl.b32 %%r2, %%r1, 7; add.s32 %%r5, %%r3, %%r2; shl.b32 %%r2, %%r1, 3; add.s32 "
		"%%r6, %%r3, %%r2;\n"
		"%s\nret;\n}\n.file 1 \"In[3]\"\n.file 2 \"/usr/include/atomic.hpp\"\n",
		body);
	device_load(d, ptx.data);
	buffer_release(&ptx);
	tally_init(&t);
	d->observers = observers;
	d->observer_count = 1;
	assert_runs(d, "k", grid, block, &param, sizeof(param));
	d->observer_count = 0;
	l.kernel = ptx_module_function(d->module, "k");
	profile_add_launch(p, &l, &t, 1000);
	tally_release(&t);
	assert_false(p->failed);
}

static struct profile_counts line_of(const struct profile *p, uint32_t line)
{
	for (size_t i = 0; i < p->report.n_lines; i++)
		if (p->report.lines[i].line == line && !strcmp(p->report.lines[i].file, "In[3]"))
			return p->report.lines[i].counts;
	return (struct profile_counts){ 0 };
}

static void global_memory_in_sectors(void **state)
{
	struct device *d = device_new();
	struct profile *p = profile_new();
	struct profile_counts c;

	(void)state;
	profile_run(d, p,
		    ".loc 1 2 0\nld.global.f32 %f1, [%rd3];\n"
		    ".loc 1 3 0\nld.global.f32 %f2, [%rd5];\n"
		    ".loc 1 4 0\nst.global.v4.f32 [%rd5], {%f1, %f1, %f1, %f1};\n"
		    ".loc 1 5 0\nld.global.f32 %f2, [%rd1];\n"
		    ".loc 1 6 0\nadd.f32 %f3, %f1, %f2; fma.rn.f32 %f3, %f1, %f2, %f3;\n",
		    1, 64);
	c = line_of(p, 2);
	assert_int_equal(c.executed, 2);
	assert_int_equal(c.lanes, 64);
	assert_int_equal(c.global_requests, 2);
	assert_int_equal(c.global_sectors, 2 * 4);
	assert_int_equal(c.global_ideal, 2 * 4);
	assert_int_equal(c.global_bytes, 64 * 4);
	c = line_of(p, 3);
	assert_int_equal(c.global_sectors, 2 * 32);
	assert_int_equal(c.global_ideal, 2 * 4);
	c = line_of(p, 4);
	assert_int_equal(c.global_sectors, 2 * 32);
	assert_int_equal(c.global_ideal, 2 * 16);
	assert_int_equal(line_of(p, 5).global_sectors, 2);
	assert_int_equal(line_of(p, 6).flops, 64 * 3);
	assert_int_equal(p->report.kernels[0].launches, 1);
	assert_string_equal(p->report.kernels[0].name, "k");
	assert_int_equal(p->report.kernels[0].mix[INSTRUCTION_GLOBAL], 2 * 4);
	assert_int_equal(p->report.kernels[0].mix[INSTRUCTION_FP32], 2 * 2);
	/* 13 of them in line 1, with those that need no operation of the machine. */
	assert_int_equal(line_of(p, 1).executed, 2 * 13);
	assert_int_equal(p->report.kernels[0].total.executed, 2 * (13 + 4 + 2 + 1));
	profile_free(p);
	device_free(d);
}

static void shared_memory_in_banks(void **state)
{
	struct device *d = device_new();
	struct profile *p = profile_new();
	uint64_t address[LANES];
	uint32_t ideal;

	(void)state;
	profile_run(d, p,
		    ".loc 1 2 0\nst.shared.u32 [%r4], %r1;\n"
		    ".loc 1 3 0\nst.shared.u32 [%r5], %r1;\n"
		    ".loc 1 4 0\nst.shared.u32 [%r6], %r1;\n"
		    ".loc 1 5 0\nld.shared.u32 %r7, [%r3];\n",
		    1, 32);
	assert_int_equal(line_of(p, 2).shared_passes, 1);
	assert_int_equal(line_of(p, 3).shared_passes, 32);
	assert_int_equal(line_of(p, 3).shared_ideal, 1);
	assert_int_equal(line_of(p, 4).shared_passes, 2);
	assert_int_equal(line_of(p, 5).shared_passes, 1); /* one word for all */
	for (int l = 0; l < LANES; l++)
		address[l] = (uint64_t)l * 16;
	assert_int_equal(tally_passes(address, ALL_LANES, 16, &ideal), 4);
	assert_int_equal(ideal, 4);
	assert_int_equal(tally_passes(address, 0xff, 16, &ideal), 1);
	assert_int_equal(tally_passes(address, ALL_LANES, 8, &ideal),
			 4); /* every other pair of banks */
	assert_int_equal(ideal, 2);
	profile_free(p);
	device_free(d);
}

static void sectors_in_any_order(void **state)
{
	uint64_t address[LANES];

	(void)state;
	for (uint32_t l = 0; l < LANES; l++)
		address[l] = 4096 - 4 * l - 4;
	assert_int_equal(tally_sectors(address, ALL_LANES, 4), 4);
	for (uint32_t l = 0; l < LANES; l++)
		address[l] = 64 * ((l * 7) % 4) + l % 2 * 4;
	assert_int_equal(tally_sectors(address, ALL_LANES, 4), 4);
	assert_int_equal(tally_sectors(address, 1, 4), 1);
	address[0] = 30;
	assert_int_equal(tally_sectors(address, 1, 4), 2);
	assert_int_equal(tally_sectors(address, 1, 100), 5); /* a copy of many bytes */
	for (uint32_t l = 0; l < LANES; l++)
		address[l] = (l % 16) * 100000;
	assert_int_equal(tally_sectors(address, ALL_LANES, 16), 16);
}

static void lanes_that_part(void **state)
{
	struct device *d = device_new();
	struct profile *p = profile_new();

	(void)state;
	/* Half of each warp takes the one way, half the other; then all the same way; then a loop
	 * of 1 to 4 rounds. */
	profile_run(d, p,
		    ".loc 1 2 0\nand.b32 %r7, %r1, 1; setp.eq.u32 %p1, %r7, 0; @%p1 bra EVEN;\n"
		    ".loc 1 3 0\nadd.s32 %r8, %r1, 1; bra MEET;\n"
		    "EVEN:\n.loc 1 4 0\nadd.s32 %r8, %r1, 2;\n"
		    "MEET:\n.loc 1 5 0\nsetp.ge.u32 %p2, %r1, 0; @%p2 bra NEXT;\n"
		    ".loc 1 6 0\nadd.s32 %r8, %r1, 3;\n"
		    "NEXT:\n.loc 1 9 0\nand.b32 %r9, %r1, 3; mov.u32 %r10, 0;\n"
		    "LOOP:\n.loc 1 7 0\nadd.s32 %r10, %r10, 1; setp.le.u32 %p3, %r10, %r9; @%p3 "
		    "bra LOOP;\n"
		    ".loc 1 8 0\n@%p1 st.global.u32 [%rd3], %r8;\n",
		    1, 64);
	assert_int_equal(line_of(p, 2).splits, 2);
	assert_int_equal(line_of(p, 3).executed, 2 * 2);
	assert_int_equal(line_of(p, 3).lanes, 2 * 32);
	assert_int_equal(line_of(p, 4).lanes, 32);
	assert_int_equal(line_of(p, 5).splits, 0);
	assert_int_equal(line_of(p, 6).executed, 0);
	/* 4 rounds with 32, 24, 16 and 8 lanes of each warp, of which the last one parts no more.
	 */
	assert_int_equal(line_of(p, 7).executed, 2 * 4 * 3);
	assert_int_equal(line_of(p, 7).lanes, 2 * 3 * (32 + 24 + 16 + 8));
	assert_int_equal(line_of(p, 7).splits, 2 * 3);
	assert_int_equal(line_of(p, 8).lanes, 32 + 2 * 32); /* and `ret` */
	assert_int_equal(line_of(p, 8).global_bytes, 32 * 4);
	profile_free(p);
	device_free(d);
}

static void barriers_atomics_and_local_memory(void **state)
{
	struct device *d = device_new();
	struct profile *p = profile_new();

	(void)state;
	/* The second warp runs two instructions more before the barrier. */
	profile_run(d, p,
		    ".loc 1 2 0\nsetp.lt.u32 %p1, %r1, 32; @%p1 bra THERE;\n"
		    ".loc 1 3 0\nmul.lo.s32 %r8, %r1, 3; xor.b32 %r8, %r8, %r1; st.local.u32 "
		    "[mine], %r8;\n"
		    "THERE:\n.loc 1 4 0\nbar.sync 0;\n"
		    ".loc 1 5 0\natom.global.add.u32 %r9, [%rd1], 1;\n"
		    ".loc 1 6 0\nred.global.add.u32 [%rd3], 1;\n",
		    1, 64);
	assert_int_equal(line_of(p, 4).barriers, 2);
	assert_int_equal(line_of(p, 4).waited, 3);
	assert_int_equal(line_of(p, 3).local_requests, 1);
	assert_int_equal(line_of(p, 3).local_bytes, 32 * 4);
	assert_int_equal(line_of(p, 5).atomic_requests, 2);
	assert_int_equal(line_of(p, 5).atomic_conflicts, 2 * 31);
	assert_int_equal(line_of(p, 6).atomic_conflicts, 0);
	assert_int_equal(line_of(p, 6).global_sectors, 2 * 4);
	profile_free(p);
	device_free(d);
}

static void inlined_code_counts_where_its_cell_has_it(void **state)
{
	struct device *d = device_new();
	struct profile *p = profile_new();

	(void)state;
	profile_run(d, p,
		    ".loc 1 9 3\nadd.s32 %r7, %r1, 1;\n"
		    ".loc 1 5 1, function_name $f, inlined_at 1 9 3\nmul.lo.s32 %r7, %r7, 3;\n"
		    ".loc 2 100 1, function_name $g, inlined_at 1 9 3\nxor.b32 %r7, %r7, 3;\n"
		    "st.global.u32 [%rd3], %r7;",
		    3, 96);
	assert_int_equal(line_of(p, 5).executed, 9);
	assert_int_equal(line_of(p, 9).executed, 9 + 9 + 9 + 9);
	assert_int_equal(p->report.kernels[0].block[0], 96);
	profile_free(p);
	device_free(d);
}

static void many_threads_count_the_same(void **state)
{
	struct device *d = device_new();
	struct profile *p = profile_new(), *q = profile_new();
	const char *body = ".loc 1 2 0\nld.global.f32 %f1, [%rd3];\n.loc 1 3 0\nbar.sync 0; "
			   "st.global.f32 [%rd5], %f1;\n";

	(void)state;
	profile_run(d, p, body, 200, 96);
	d->threads = 4;
	profile_run(d, q, body, 200, 96);
	for (uint32_t line = 1; line <= 3; line++) {
		struct profile_counts a = line_of(p, line), b = line_of(q, line);

		assert_memory_equal(&a, &b, sizeof(a));
	}
	assert_int_equal(line_of(p, 2).executed, 600);
	profile_run(d, q, body, 200, 96);
	assert_int_equal(line_of(q, 2).executed, 1200);
	assert_int_equal(q->report.kernels[0].launches, 2);
	assert_int_equal(q->report.kernels[0].nanoseconds, 2000);
	profile_free(p);
	profile_free(q);
	device_free(d);
}

static void a_report_travels(void **state)
{
	cleanup_buffer struct buffer out = BUFFER_INIT;
	struct device *d = device_new();
	struct profile *p = profile_new();
	struct launch_profile r;
	int one, two;

	(void)state;
	profile_run(d, p, ".loc 1 2 0\nld.global.f32 %f1, [%rd3];\n", 1, 32);
	profile_add_span(p, SPAN_COPY, NULL, "copy to the device", clock_now_ns(), 100);
	profile_add_span(p, SPAN_LAUNCH, &one, "k", clock_now_ns(), 0);
	profile_add_span(p, SPAN_LAUNCH, &two, "k", clock_now_ns(), 0);
	profile_add_span(p, SPAN_HOST, &one, "host function", clock_now_ns(), 0);
	profile_encode(p, &out);
	assert_int_equal(launch_profile_decode(out.data, out.len, &r, NULL), 0);
	assert_int_equal(r.n_kernels, 1);
	assert_memory_equal(&r.kernels[0].total, &p->report.kernels[0].total,
			    sizeof(r.kernels[0].total));
	assert_int_equal(r.n_lines, 2);
	assert_string_equal(r.lines[1].file, "In[3]");
	assert_int_equal(r.n_spans, 4);
	assert_int_equal(r.spans[0].stream, 0);
	assert_int_equal(r.spans[0].bytes, 100);
	assert_int_equal(r.spans[1].stream, 1);
	assert_int_equal(r.spans[2].stream, 2);
	assert_int_equal(r.spans[3].stream, 1);
	launch_profile_release(&r);
	for (size_t len = 0; len < out.len; len++)
		assert_int_equal(launch_profile_decode(out.data, len, &r, NULL), -1);
	profile_free(p);
	device_free(d);
}

static void what_instructions_are_for(void **state)
{
	static const struct {
		const char *form;
		enum instruction_class class;
		uint32_t lane, warp;
	} rows[] = {
		{ "fma.rn.f32", INSTRUCTION_FP32, 2, 0 },
		{ "mad.lo.s32", INSTRUCTION_INTEGER, 0, 0 },
		{ "add.f64", INSTRUCTION_FP64, 1, 0 },
		{ "fma.rn.f16x2", INSTRUCTION_FP16, 4, 0 },
		{ "sqrt.rn.f32", INSTRUCTION_SPECIAL, 1, 0 },
		{ "ld.global.v4.f32", INSTRUCTION_GLOBAL, 0, 0 },
		{ "ld.shared.f32", INSTRUCTION_SHARED, 0, 0 },
		{ "ld.param.u64", INSTRUCTION_CONSTANT, 0, 0 },
		{ "st.local.u32", INSTRUCTION_LOCAL, 0, 0 },
		{ "atom.shared.add.f32", INSTRUCTION_ATOMIC, 0, 0 },
		{ "setp.lt.f32", INSTRUCTION_FP32, 0, 0 },
		{ "cvt.rn.f32.s32", INSTRUCTION_CONVERT, 0, 0 },
		{ "bar.sync", INSTRUCTION_SYNC, 0, 0 },
		{ "shfl.sync.down.b32", INSTRUCTION_WARP, 0, 0 },
		{ "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32", INSTRUCTION_MATRIX, 0, 8192 },
		{ "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16", INSTRUCTION_SHARED, 0, 0 },
		{ "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", INSTRUCTION_MATRIX, 0,
		  2048 },
		{ "@", INSTRUCTION_INTEGER, 0, 0 },
		{ "", INSTRUCTION_INTEGER, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t len = strlen(rows[i].form);
		struct instruction_flops f = instruction_flops_of(rows[i].form, len);

		if (instruction_class_of(rows[i].form, len) != rows[i].class ||
		    f.lane != rows[i].lane || f.warp != rows[i].warp)
			fail_msg("%s: %s, %u, %u", rows[i].form,
				 instruction_class_name(instruction_class_of(rows[i].form, len)),
				 f.lane, f.warp);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(global_memory_in_sectors),
		cmocka_unit_test(shared_memory_in_banks),
		cmocka_unit_test(sectors_in_any_order),
		cmocka_unit_test(lanes_that_part),
		cmocka_unit_test(barriers_atomics_and_local_memory),
		cmocka_unit_test(inlined_code_counts_where_its_cell_has_it),
		cmocka_unit_test(many_threads_count_the_same),
		cmocka_unit_test(a_report_travels),
		cmocka_unit_test(what_instructions_are_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
