/* SPDX-License-Identifier: Apache-2.0 */
/* malloc() and free() of device code: the limit of the heap, blocks given back, a block freed
 * twice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/emulator.h"

#define BLOCK (300u * 1024)
#define HEAP (1024u * 1024)

static const char ptx[] =
	".version 9.0\n.target sm_75\n.address_size 64\n"
	".extern .func (.param .b64 r) malloc(.param .b64 size);\n.extern .func free(.param .b64 "
	"p);\n"
	/* Every thread asks for a block, writes its last word and leaves the address. */
	".visible .entry take(.param .u64 out, .param .u64 size)\n{ .reg .b64 %d<6>; .reg .b32 %t; "
	".reg .pred %p;\n"
	"ld.param.u64 %d0, [out]; ld.param.u64 %d1, [size]; mov.u32 %t, %tid.x; mul.wide.u32 %d2, "
	"%t, 8;\n"
	"add.s64 %d0, %d0, %d2;\n"
	"{ .param .b64 a; .param .b64 b; st.param.b64 [a], %d1; call (b), malloc, (a); "
	"ld.param.b64 %d3, [b]; }\n"
	"st.global.u64 [%d0], %d3; setp.eq.u64 %p, %d3, 0; @%p bra OUT; add.s64 %d4, %d3, %d1; "
	"st.u32 [%d4+-4], %t;\n"
	"OUT: ret; }\n"
	".visible .entry give(.param .u64 in)\n{ .reg .b64 %d<4>; .reg .b32 %t;\n"
	"ld.param.u64 %d0, [in]; mov.u32 %t, %tid.x; mul.wide.u32 %d2, %t, 8; add.s64 %d0, %d0, "
	"%d2;\n"
	"ld.global.u64 %d3, [%d0]; { .param .b64 a; st.param.b64 [a], %d3; call free, (a); } ret; "
	"}\n";

static CUfunction take, give;
static CUdeviceptr table;

static CUresult launch(CUfunction f, uint64_t size, unsigned threads)
{
	void *params[] = { &table, &size };

	assert_int_equal(EMU(cuLaunchKernel)(f, 1, 1, 1, threads, 1, 1, 0, NULL, params, NULL), 0);
	return EMU(cuCtxSynchronize)();
}

static unsigned taken(unsigned threads)
{
	uint64_t blocks[8];
	unsigned n = 0;

	assert_int_equal(EMU(cuMemcpyDtoH)(blocks, table, threads * 8), 0);
	for (unsigned i = 0; i < threads; i++)
		n += blocks[i] != 0;
	return n;
}

static void the_heap_has_a_limit_and_blocks_come_back(void **state)
{
	(void)state;
	assert_int_equal(EMU(cuCtxSetLimit)(CU_LIMIT_MALLOC_HEAP_SIZE, HEAP), 0);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(launch(take, BLOCK, 5), 0);
		assert_int_equal(taken(5), 3);
		/* Null pointers are among them, and free() takes these. */
		assert_int_equal(launch(give, 0, 5), 0);
	}
	assert_int_equal(launch(take, HEAP + 4, 1), 0);
	assert_int_equal(taken(1), 0);
}

/* The last test: a fault stays with the process. */
static void a_block_freed_twice_is_a_fault(void **state)
{
	struct emulator_fault fault;

	(void)state;
	assert_int_equal(launch(take, 64, 1), 0);
	assert_int_equal(launch(give, 0, 1), 0);
	assert_int_equal(launch(give, 0, 1), CUDA_ERROR_LAUNCH_FAILED);
	assert_true(extension->last_fault(&fault));
	assert_non_null(strstr(fault.text, "no block of the device heap, or was freed already"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_heap_has_a_limit_and_blocks_come_back),
		cmocka_unit_test(a_block_freed_twice_is_a_fault),
	};
	CUmodule m;

	emulator_start();
	if (EMU(cuModuleLoadData)(&m, ptx) || EMU(cuModuleGetFunction)(&take, m, "take") ||
	    EMU(cuModuleGetFunction)(&give, m, "give") || EMU(cuMemAlloc)(&table, 64))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
