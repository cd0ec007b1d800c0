/* SPDX-License-Identifier: Apache-2.0 */
/* Each kind of fault of device code: who, where, which address, what lies near it, and how it is
 * told. */
#include "tests/unit/emulator/machine.h"

static const char saxpy[] =
	".visible .entry saxpy(.param .u32 n, .param .f32 a, .param .u64 x, .param .u64 y)\n"
	"{\n"
	"	.reg .pred %p<2>; .reg .f32 %f<5>; .reg .b32 %r<6>; .reg .b64 %rd<8>;\n"
	"	.loc 1 6 0\n"
	"	ld.param.u32 %r2, [n];\n"
	"	ld.param.f32 %f1, [a];\n"
	"	ld.param.u64 %rd1, [x];\n"
	"	ld.param.u64 %rd2, [y];\n"
	"	mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x;\n"
	"	mad.lo.s32 %r1, %r3, %r4, %r5;\n"
	"	setp.ge.s32 %p1, %r1, %r2;\n"
	"	@%p1 bra DONE;\n"
	"	cvta.to.global.u64 %rd3, %rd2;\n"
	"	cvta.to.global.u64 %rd4, %rd1;\n"
	"	mul.wide.s32 %rd5, %r1, 4;\n"
	"	add.s64 %rd6, %rd4, %rd5;\n"
	"	.loc 1 7 9, function_name $L__info0, inlined_at 1 6 30\n"
	"	ld.global.f32 %f2, [%rd6];\n"
	"	add.s64 %rd7, %rd3, %rd5;\n"
	"	ld.global.f32 %f3, [%rd7];\n"
	"	fma.rn.f32 %f4, %f2, %f1, %f3;\n"
	"	.loc 1 8 5\n"
	"	st.global.f32 [%rd7], %f4;\n"
	"DONE:\n"
	"	ret;\n"
	"}\n"
	".file 1 \"In[3]\"\n"
	".section .debug_str\n"
	"{\n"
	"$L__info0:\n"
	".b8 95,90,53,102,101,116,99,104,80,75,102,105,0\n"
	"}\n";

struct saxpy_params {
	int32_t n;
	float a;
	uint64_t x, y;
};

static void in_bounds_is_silent(void **state)
{
	struct device *d = device_new();
	uint64_t x = device_buffer(d, "d_x", 4000), y = device_buffer(d, "d_y", 4000);
	float *px = device_bytes(d, x), *py = device_bytes(d, y);

	(void)state;
	for (int i = 0; i < 1000; i++) {
		px[i] = (float)i;
		py[i] = 1;
	}
	device_load(d, saxpy);
	assert_runs(d, "saxpy", 4, 256, &(struct saxpy_params){ 1000, 2, x, y },
		    sizeof(struct saxpy_params));
	for (int i = 0; i < 1000; i++)
		assert_true(py[i] == 2 * (float)i + 1);
	device_free(d);
}

static void out_of_bounds_names_thread_line_and_buffer(void **state)
{
	struct device *d = device_new();
	uint64_t x = device_buffer(d, "d_x", 4000), y = device_buffer(d, "d_y", 4096);
	struct buffer text = BUFFER_INIT;
	char expected[1000];

	(void)state;
	device_load(d, saxpy);
	assert_int_equal(device_launch(d, "saxpy", 4, 256, &(struct saxpy_params){ 1024, 2, x, y },
				       sizeof(struct saxpy_params)),
			 1);
	assert_int_equal(d->fault.kind, GPU_FAULT_ILLEGAL_ADDRESS);
	assert_int_equal(gpu_fault_code(d->fault.kind), 700);
	assert_string_equal(d->fault.kernel, "saxpy");
	assert_int_equal(d->fault.block[0], 3);
	assert_int_equal(d->fault.thread[0], 1000 - 3 * 256);
	assert_int_equal(d->fault.address, x + 4000);
	assert_int_equal(d->fault.access, GPU_ACCESS_READ);
	assert_int_equal(d->fault.frame_count, 2);
	gpu_fault_print(&d->fault, &text);
	snprintf(expected, sizeof(expected),
		 "========= Invalid __global__ read of size 4 bytes\n"
		 "=========     at fetch(const float *, int)+0xe0 in In[3]:7\n"
		 "=========         called from saxpy(...) in In[3]:6\n"
		 "=========     by thread (232,0,0) in block (3,0,0)\n"
		 "=========     Address 0x%llx is out of bounds\n"
		 "=========     and is 1 bytes after the nearest allocation `d_x` at 0x%llx of "
		 "size 4,000 bytes (cell 3)\n"
		 "=========     The address is %%rd1 + 4 * %%r1\n"
		 "=========         %%rd1 = 0x%llx: parameter 3\n"
		 "=========         %%r1 = 1000: blockIdx.x * blockDim.x + threadIdx.x = 3 * 256 + "
		 "232\n",
		 (unsigned long long)x + 4000, (unsigned long long)x, (unsigned long long)x);
	assert_string_equal(buffer_text(&text), expected);
	buffer_release(&text);
	device_free(d);
}

static void use_after_free_names_the_cell(void **state)
{
	struct device *d = device_new();
	uint64_t x = device_buffer(d, "d_x", 4000), y = device_buffer(d, "d_y", 4000);
	struct buffer text = BUFFER_INIT;

	(void)state;
	device_load(d, saxpy);
	device_forget(d, y, 5);
	assert_int_equal(device_launch(d, "saxpy", 1, 32, &(struct saxpy_params){ 32, 2, x, y },
				       sizeof(struct saxpy_params)),
			 1);
	assert_true(d->fault.freed);
	assert_int_equal(d->fault.buffer_freed_tag, 5);
	gpu_fault_print(&d->fault, &text);
	assert_non_null(strstr(text.data, "0 bytes inside an allocation that was freed `d_y`"));
	assert_non_null(strstr(text.data, "(cell 3, freed in cell 5)"));
	buffer_release(&text);
	device_free(d);
}

/* One entry `k(u64 p)` with the given body; lane 7 of block (1,0,0) shall fault. */
static void assert_fault(const char *globals, const char *body, enum gpu_fault_kind kind,
			 enum gpu_access access, enum ptx_space space, const char *text_part)
{
	struct device *d = device_new();
	uint64_t p = device_buffer(d, "buffer", 1024);
	struct buffer ptx = BUFFER_INIT, text = BUFFER_INIT;

	buffer_printf(
		&ptx,
		"%s\n.visible .entry k(.param .u64 p)\n{\n"
		".reg .pred %%p<5>; .reg .b32 %%r<10>; .reg .b64 %%rd<10>; .reg .f32 %%f<4>;\n"
		".local .align 8 .b8 frame[16];\n"
		".shared .align 4 .b8 tile[128];\n"
		"ld.param.u64 %%rd1, [p]; mov.u32 %%r1, %%tid.x; mov.u32 %%r2, %%ctaid.x;\n"
		"setp.ne.s32 %%p1, %%r1, 7; setp.ne.s32 %%p2, %%r2, 1; or.pred %%p1, %%p1, %%p2;\n"
		"@%%p1 bra OUT;\n"
		".loc 1 77 3\n"
		"%s\nOUT: ret;\n}\n.file 1 \"In[9]\"\n",
		globals, body);
	device_load(d, ptx.data);
	assert_int_equal(device_launch(d, "k", 3, 64, &p, sizeof(p)), 1);
	gpu_fault_print(&d->fault, &text);
	if (d->fault.kind != kind || !strstr(text.data, text_part))
		fail_msg("expected %s and `%s`, got %s:\n%s", gpu_fault_name(kind), text_part,
			 gpu_fault_name(d->fault.kind), text.data);
	assert_int_equal(d->fault.access, access);
	if (access != GPU_ACCESS_NONE)
		assert_int_equal(d->fault.space, space);
	assert_string_equal(d->fault.kernel, "k");
	assert_int_equal(d->fault.thread[0], 7);
	assert_int_equal(d->fault.block[0], 1);
	assert_int_equal(d->fault.frames[0].line, 77);
	assert_string_equal(d->fault.frames[0].file, "In[9]");
	buffer_release(&ptx);
	buffer_release(&text);
	device_free(d);
}

static void global_faults(void **state)
{
	(void)state;
	assert_fault("", "st.global.u32 [%rd1+1024], %r1;", GPU_FAULT_ILLEGAL_ADDRESS,
		     GPU_ACCESS_WRITE, PTX_SPACE_GLOBAL,
		     "1 bytes after the nearest allocation `buffer`");
	assert_fault("", "ld.global.u32 %r3, [%rd1+-4];", GPU_FAULT_ILLEGAL_ADDRESS,
		     GPU_ACCESS_READ, PTX_SPACE_GLOBAL,
		     "4 bytes before the nearest allocation `buffer`");
	assert_fault("", "ld.global.v4.u32 {%r3,%r4,%r5,%r6}, [%rd1+1024];",
		     GPU_FAULT_ILLEGAL_ADDRESS, GPU_ACCESS_READ, PTX_SPACE_GLOBAL,
		     "read of size 16 bytes");
	/* It would also end outside of the buffer. */
	assert_fault("", "ld.global.v4.u32 {%r3,%r4,%r5,%r6}, [%rd1+1016];", GPU_FAULT_MISALIGNED,
		     GPU_ACCESS_READ, PTX_SPACE_GLOBAL, "must be a multiple of 16");
	assert_fault("", "mov.u64 %rd2, 0; st.u32 [%rd2], %r1;", GPU_FAULT_ILLEGAL_ADDRESS,
		     GPU_ACCESS_WRITE, PTX_SPACE_GENERIC, "Address 0x0 is out of bounds");
	assert_fault("", "atom.global.add.u32 %r3, [%rd1+2048], %r1;", GPU_FAULT_ILLEGAL_ADDRESS,
		     GPU_ACCESS_ATOMIC, PTX_SPACE_GLOBAL,
		     "Invalid __global__ atomic of size 4 bytes");
	assert_fault("", "ld.global.u32 %r3, [%rd1+2];", GPU_FAULT_MISALIGNED, GPU_ACCESS_READ,
		     PTX_SPACE_GLOBAL, "must be a multiple of 4");
	assert_fault("", "ld.global.v2.u32 {%r3,%r4}, [%rd1+4];", GPU_FAULT_MISALIGNED,
		     GPU_ACCESS_READ, PTX_SPACE_GLOBAL, "must be a multiple of 8");
	assert_fault("", "atom.global.add.u32 %r3, [%rd1+6], %r1;", GPU_FAULT_MISALIGNED,
		     GPU_ACCESS_ATOMIC, PTX_SPACE_GLOBAL, "is misaligned");
	assert_fault(".const .align 4 .u32 table[4] = {1,2,3,4};",
		     "mov.u64 %rd2, table; st.global.u32 [%rd2], %r1;", GPU_FAULT_ILLEGAL_ADDRESS,
		     GPU_ACCESS_WRITE, PTX_SPACE_GLOBAL, "is read-only");
	assert_fault(".const .align 4 .u32 table[4] = {1,2,3,4};", "ld.const.u32 %r3, [table+16];",
		     GPU_FAULT_ILLEGAL_ADDRESS, GPU_ACCESS_READ, PTX_SPACE_CONST,
		     "after the nearest allocation `table`");
}

static void window_faults(void **state)
{
	(void)state;
	assert_fault("", "mov.u32 %r3, tile; st.shared.u32 [%r3+128], %r1;", GPU_FAULT_WINDOW,
		     GPU_ACCESS_WRITE, PTX_SPACE_SHARED,
		     "the shared memory of the block has 128 bytes");
	assert_fault("", "mov.u32 %r3, tile; ld.shared.u32 %r4, [%r3+-4];", GPU_FAULT_WINDOW,
		     GPU_ACCESS_READ, PTX_SPACE_SHARED, "Invalid __shared__ read");
	assert_fault("", "mov.u32 %r3, tile; atom.shared.add.u32 %r4, [%r3+2], 1;",
		     GPU_FAULT_MISALIGNED, GPU_ACCESS_ATOMIC, PTX_SPACE_SHARED, "is misaligned");
	assert_fault("", "mov.u64 %rd2, frame; st.local.u64 [%rd2+16], %rd1;", GPU_FAULT_WINDOW,
		     GPU_ACCESS_WRITE, PTX_SPACE_LOCAL,
		     "the local memory of the thread has 16 bytes");
	assert_fault("", "ld.shared.u32 %r3, [%rd1];", GPU_FAULT_ADDRESS_SPACE, GPU_ACCESS_READ,
		     PTX_SPACE_SHARED, "belongs to another state space");
	assert_fault(
		"", "mov.u64 %rd2, tile; cvta.shared.u64 %rd2, %rd2; ld.global.u32 %r3, [%rd2];",
		GPU_FAULT_ADDRESS_SPACE, GPU_ACCESS_READ, PTX_SPACE_GLOBAL, "used as a global one");
	assert_fault("",
		     "mov.u64 %rd2, frame; cvta.local.u64 %rd2, %rd2; atom.add.u32 %r3, [%rd2], 1;",
		     GPU_FAULT_ADDRESS_SPACE, GPU_ACCESS_ATOMIC, PTX_SPACE_GENERIC,
		     "atomics need shared or global memory");
}

/* Two arrays of an entry and one of the module: an index over the end of one never lands in
 * another. */
static void shared_arrays_are_apart(void **state)
{
	const char *globals =
		".shared .align 4 .b8 outer[24];\n.extern .shared .align 16 .b8 rest[];\n";

	(void)state;
	assert_fault(globals,
		     "mov.u32 %r4, outer; mov.u32 %r3, tile; st.shared.u32 [%r3+132], %r1;",
		     GPU_FAULT_WINDOW, GPU_ACCESS_WRITE, PTX_SPACE_SHARED,
		     "and is 5 bytes after __shared__ array `tile` of size 128 bytes\n"
		     "=========     and the shared memory of the block has 152 bytes\n");
	assert_fault(globals, "mov.u32 %r3, outer; ld.shared.u32 %r4, [%r3+24];", GPU_FAULT_WINDOW,
		     GPU_ACCESS_READ, PTX_SPACE_SHARED,
		     "and is 1 bytes after __shared__ array `outer` of size 24 bytes\n");
	assert_fault(globals, "mov.u32 %r4, outer; mov.u32 %r3, tile; ld.shared.u32 %r4, [%r3+-8];",
		     GPU_FAULT_WINDOW, GPU_ACCESS_READ, PTX_SPACE_SHARED,
		     "and is 8 bytes before __shared__ array `tile` of size 128 bytes\n");
	assert_fault(globals, "mov.u32 %r3, outer; ld.shared.v4.u32 {%r4,%r5,%r6,%r7}, [%r3+16];",
		     GPU_FAULT_WINDOW, GPU_ACCESS_READ, PTX_SPACE_SHARED,
		     "and is 8 bytes over the end of __shared__ array `outer` of size");
	assert_fault("", "mov.u32 %r3, tile; atom.shared.add.u32 %r4, [%r3+256], 1;",
		     GPU_FAULT_WINDOW, GPU_ACCESS_ATOMIC, PTX_SPACE_SHARED,
		     "and is 129 bytes after __shared__ array `tile`");
	assert_fault("", "mov.u64 %rd2, tile; cvta.shared.u64 %rd2, %rd2; ld.u32 %r3, [%rd2+128];",
		     GPU_FAULT_WINDOW, GPU_ACCESS_READ, PTX_SPACE_GENERIC,
		     "and is 1 bytes after __shared__ array `tile` of size 128 bytes");
	assert_fault(".shared .align 4 .b8 _ZZ1kPfE5inner_0[8];",
		     "mov.u32 %r4, _ZZ1kPfE5inner_0; st.shared.u32 [%r4+8], %r1;", GPU_FAULT_WINDOW,
		     GPU_ACCESS_WRITE, PTX_SPACE_SHARED,
		     "after __shared__ array `inner` of size 8 bytes");
}

/* Operations that reach several arrays, also within one warp, and dynamic shared memory behind
 * them. */
static void shared_arrays_hold_what_was_stored(void **state)
{
	struct device *d = device_new();
	uint64_t out = device_buffer(d, "out", 64 * 4);
	const uint32_t *got = device_bytes(d, out);

	(void)state;
	device_load(
		d, ".extern .shared .align 16 .b8 rest[];\n"
		   ".visible .entry k(.param .u64 p) { .reg .pred %p<3>; .reg .b32 %r<12>; .reg "
		   ".b64 %rd<4>;\n"
		   ".shared .align 4 .b8 a[64]; .shared .align 4 .b8 b[64];\n"
		   "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2;\n"
		   "mov.u32 %r3, a; mov.u32 %r4, b; and.b32 %r5, %r1, 15; shl.b32 %r5, %r5, 2;\n"
		   "add.u32 %r3, %r3, %r5; add.u32 %r4, %r4, %r5; setp.lt.u32 %p1, %r1, 16; "
		   "selp.b32 %r6, %r3, %r4, %p1;\n"
		   "setp.lt.u32 %p2, %r1, 32; @!%p2 bra TAIL; st.shared.u32 [%r6], %r1; bra JOIN;\n"
		   "TAIL: mov.u32 %r7, rest; add.u32 %r6, %r7, %r2; st.shared.u32 [%r6], %r1;\n"
		   "JOIN: bar.sync 0; ld.shared.u32 %r8, [%r6];\n"
		   "cvt.u64.u32 %rd2, %r2; add.u64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r8; "
		   "ret; }");
	assert_int_equal(device_launch_shape(d, "k",
					     (struct shape){ { 3, 1, 1 }, { 64, 1, 1 }, 256 }, &out,
					     sizeof(out)),
			 0);
	for (uint32_t i = 0; i < 64; i++)
		assert_int_equal(got[i], i);
	assert_int_equal(ptx_module_function(d->module, "k")->static_shared, 128);
	device_free(d);
}

static void control_faults(void **state)
{
	(void)state;
	assert_fault("", "trap;", GPU_FAULT_TRAP, GPU_ACCESS_NONE, PTX_SPACE_NONE,
		     "Trap instruction executed");
	assert_fault("", "wgmma.fence.sync.aligned;", GPU_FAULT_ILLEGAL_INSTRUCTION,
		     GPU_ACCESS_NONE, PTX_SPACE_NONE, "`wgmma.fence.sync.aligned`");
	assert_fault("", "tex.1d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [%rd1, {%f0}];",
		     GPU_FAULT_ILLEGAL_ADDRESS, GPU_ACCESS_NONE, PTX_SPACE_NONE,
		     "is no handle of a texture object");
	assert_fault("", "P: .callprototype _ ();\ncall %rd1, (), P;", GPU_FAULT_INVALID_PC,
		     GPU_ACCESS_NONE, PTX_SPACE_NONE, "no function of a loaded module");
	assert_fault(".func deep(.param .u32 n) { .reg .b32 %r<3>; .local .b8 big[100]; "
		     "ld.param.u32 %r1, [n];\n"
		     "{ .param .b32 a; st.param.b32 [a], %r1; call deep, (a); } ret; }",
		     "{ .param .b32 a; st.param.b32 [a], %r1; call deep, (a); }", GPU_FAULT_STACK,
		     GPU_ACCESS_NONE, PTX_SPACE_NONE, "Local memory stack exhausted");
}

static void asserts_print_and_fault(void **state)
{
	struct device *d = device_new();

	(void)state;
	device_load(
		d,
		".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param "
		".b64 d, .param .b64 e);\n"
		".global .align 1 .b8 msg[6] = {120, 32, 62, 32, 48, 0};\n"
		".global .align 1 .b8 file[6] = {73, 110, 91, 52, 93, 0};\n"
		".global .align 1 .b8 func[2] = {107, 0};\n"
		".visible .entry k() { .reg .pred %p<2>; .reg .b32 %r<3>; .reg .b64 %rd<5>;\n"
		"mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 30; @%p1 bra OK;\n"
		"mov.u64 %rd1, msg; mov.u64 %rd2, file; mov.u64 %rd3, func;\n"
		"{ .param .b64 p0; st.param.b64 [p0], %rd1; .param .b64 p1; st.param.b64 [p1], "
		"%rd2;\n"
		".param .b32 p2; st.param.b32 [p2], 12; .param .b64 p3; st.param.b64 [p3], %rd3;\n"
		".param .b64 p4; st.param.b64 [p4], 1;\n"
		"call.uni __assertfail, (p0, p1, p2, p3, p4); }\n"
		"OK: ret; }");
	assert_int_equal(device_launch(d, "k", 1, 32, NULL, 0), 1);
	assert_int_equal(d->fault.kind, GPU_FAULT_ASSERT);
	assert_int_equal(gpu_fault_code(d->fault.kind), 710);
	assert_string_equal(
		buffer_text(&d->printed),
		"In[4]:12: k: block: [0,0,0], thread: [30,0,0] Assertion `x > 0` failed.\n"
		"In[4]:12: k: block: [0,0,0], thread: [31,0,0] Assertion `x > 0` failed.\n");
	device_free(d);
}

static void stop_ends_an_endless_entry(void **state)
{
	static const _Atomic int stop = 1;
	struct device *d = device_new();

	(void)state;
	d->stop = &stop;
	device_load(d, ".visible .entry k() {\n.loc 1 5 1\nL: bra L; }\n.file 1 \"In[2]\"\n");
	assert_int_equal(device_launch(d, "k", 2, 64, NULL, 0), 1);
	assert_int_equal(d->fault.kind, GPU_FAULT_TIMEOUT);
	assert_int_equal(d->fault.frames[0].line, 5);
	device_free(d);
}

static void a_barrier_that_never_completes_is_told(void **state)
{
	struct device *d = device_new();

	(void)state;
	device_load(
		d, ".visible .entry k() { .reg .pred %p<2>; .reg .b32 %r<2>; mov.u32 %r1, %tid.x;\n"
		   "setp.lt.u32 %p1, %r1, 16; @%p1 bra A; barrier.sync 1, 64; ret; A: barrier.sync "
		   "2, 64; ret; }");
	assert_int_equal(device_launch(d, "k", 1, 32, NULL, 0), 1);
	assert_int_equal(d->fault.kind, GPU_FAULT_BARRIER);
	assert_non_null(
		strstr(d->fault.note, "of 32 live threads of the block 32 wait at a barrier"));
	device_free(d);
}

static void the_lowest_block_is_reported(void **state)
{
	struct device *d = device_new();
	uint64_t p = device_buffer(d, "b", 40 * 4);

	(void)state;
	d->threads = 4;
	device_load(d,
		    ".visible .entry k(.param .u64 p) { .reg .b32 %r<2>; .reg .b64 %rd<4>; "
		    "ld.param.u64 %rd1, [p];\n"
		    "mov.u32 %r1, %ctaid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;\n"
		    "st.global.u32 [%rd3], %r1; ret; }");
	for (int i = 0; i < 20; i++) {
		assert_int_equal(device_launch(d, "k", 1000, 32, &p, sizeof(p)), 1);
		assert_int_equal(d->fault.block[0], 40);
	}
	device_free(d);
}

static void bad_launches_are_refused(void **state)
{
	struct device *d = device_new();

	(void)state;
	device_load(d, ".visible .entry k() .maxntid 64, 1, 1 { ret; } .visible .entry r() "
		       ".reqntid 32 { ret; }\n"
		       ".func f() { ret; }");
	assert_int_equal(device_launch(d, "k", 1, 65, NULL, 0), -1);
	assert_non_null(strstr(d->err.text, "compiled for at most 64"));
	assert_int_equal(device_launch(d, "k", 0, 32, NULL, 0), -1);
	assert_int_equal(device_launch(d, "k", 1, 2048, NULL, 0), -1);
	assert_int_equal(device_launch(d, "r", 1, 64, NULL, 0), -1);
	assert_int_equal(device_launch(d, "r", 1, 32, NULL, 0), 0);
	assert_int_equal(device_launch(d, "f", 1, 32, NULL, 0), -1);
	assert_int_equal(device_launch_shape(d, "k",
					     (struct shape){ { 1, 1, 1 }, { 1, 1, 1 }, 1 << 20 },
					     NULL, 0),
			 -1);
	device_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_bounds_is_silent),
		cmocka_unit_test(out_of_bounds_names_thread_line_and_buffer),
		cmocka_unit_test(use_after_free_names_the_cell),
		cmocka_unit_test(global_faults),
		cmocka_unit_test(window_faults),
		cmocka_unit_test(shared_arrays_are_apart),
		cmocka_unit_test(shared_arrays_hold_what_was_stored),
		cmocka_unit_test(control_faults),
		cmocka_unit_test(asserts_print_and_fault),
		cmocka_unit_test(stop_ends_an_endless_entry),
		cmocka_unit_test(a_barrier_that_never_completes_is_told),
		cmocka_unit_test(the_lowest_block_is_reported),
		cmocka_unit_test(bad_launches_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
