/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's linker: modules that call each other run as one, and what cannot be linked is said
 * in the caller's log. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/emulator.h"

#define HEAD ".version 9.0\n.target sm_75\n.address_size 64\n"

static char entry[] = HEAD ".extern .func (.param .b32 r) scaled (.param .b32 x);\n.extern .global "
			   ".align 4 .u32 calls;\n"
			   ".global .align 4 .u32 own = 5;\n"
			   ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<4>;\n.reg .b64 "
			   "%rd<2>;\nld.param.u64 %rd1, [p];\n"
			   "ld.global.u32 %r1, [own];\n"
			   "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call.uni (b), "
			   "scaled, (a); ld.param.b32 %r2, [b]; }\n"
			   "st.global.u32 [%rd1], %r2;\nld.global.u32 %r3, [calls];\nst.global.u32 "
			   "[%rd1+4], %r3;\nret;\n}\n";
static char function[] = HEAD
	".visible .global .align 4 .u32 calls = 40;\n.global .align 4 .u32 own = 3;\n"
	".visible .func (.param .b32 r) scaled (.param .b32 x)\n{\n.reg .b32 %r<5>;\n"
	"ld.param.u32 %r1, [x];\nld.global.u32 %r2, [own];\nmul.lo.u32 %r3, %r1, "
	"%r2;\nst.param.b32 [r], %r3;\n"
	"ld.global.u32 %r4, [calls];\nadd.u32 %r4, %r4, 1;\nst.global.u32 [calls], %r4;\nret;\n}\n";

static char message[256];
static CUjit_option options[] = { CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
static void *values[] = { message, (void *)sizeof(message) };

static CUlinkState begin(void)
{
	CUlinkState s;

	message[0] = '\0';
	assert_int_equal(EMU(cuLinkCreate)(2, options, values, &s), CUDA_SUCCESS);
	return s;
}

static CUresult add(CUlinkState s, CUjitInputType type, char *text, const char *name)
{
	return EMU(cuLinkAddData)(s, type, text, strlen(text) + 1, name, 0, NULL, NULL);
}

static void modules_run_as_one(void **state)
{
	CUlinkState s = begin();
	uint32_t seen[2] = { 0 };
	CUfunction f;
	CUmodule m;
	CUdeviceptr p;
	void *image, *params[] = { &p };
	size_t size;

	(void)state;
	assert_int_equal(add(s, CU_JIT_INPUT_PTX, entry, "entry"), CUDA_SUCCESS);
	assert_int_equal(add(s, CU_JIT_INPUT_PTX, function, "function"), CUDA_SUCCESS);
	assert_int_equal(EMU(cuLinkComplete)(s, &image, &size), CUDA_SUCCESS);
	assert_int_equal(size, strlen(image) + 1);
	assert_int_equal(EMU(cuModuleLoadData)(&m, image), CUDA_SUCCESS);
	assert_int_equal(EMU(cuLinkDestroy)(s), CUDA_SUCCESS);
	assert_int_equal(EMU(cuModuleGetFunction)(&f, m, "k"), CUDA_SUCCESS);
	assert_int_equal(EMU(cuMemAlloc)(&p, sizeof(seen)), CUDA_SUCCESS);
	assert_int_equal(EMU(cuLaunchKernel)(f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL),
			 CUDA_SUCCESS);
	assert_int_equal(EMU(cuMemcpyDtoH)(seen, p, sizeof(seen)), CUDA_SUCCESS);
	assert_int_equal(seen[0], 15);
	assert_int_equal(seen[1], 41);
	assert_int_equal(EMU(cuMemFree)(p), CUDA_SUCCESS);
	assert_int_equal(EMU(cuModuleUnload)(m), CUDA_SUCCESS);
}

static void what_is_linked_can_be_linked_again(void **state)
{
	CUlinkState s = begin(), again = begin();
	void *image;

	(void)state;
	assert_int_equal(add(s, CU_JIT_INPUT_PTX, function, "function"), CUDA_SUCCESS);
	assert_int_equal(EMU(cuLinkComplete)(s, &image, NULL), CUDA_SUCCESS);
	assert_int_equal(add(again, CU_JIT_INPUT_CUBIN, image, "linked"), CUDA_SUCCESS);
	assert_int_equal(add(again, CU_JIT_INPUT_PTX, entry, "entry"), CUDA_SUCCESS);
	assert_int_equal(EMU(cuLinkComplete)(again, &image, NULL), CUDA_SUCCESS);
	assert_int_equal(EMU(cuLinkDestroy)(s), CUDA_SUCCESS);
	assert_int_equal(EMU(cuLinkDestroy)(again), CUDA_SUCCESS);
}

static void refusals_are_in_the_log(void **state)
{
	CUlinkState s = begin();
	void *image;

	(void)state;
	assert_int_equal(add(s, CU_JIT_INPUT_CUBIN, "\177ELF", "a.cubin"),
			 CUDA_ERROR_NO_BINARY_FOR_GPU);
	assert_string_equal(message,
			    "a.cubin is machine code of a GPU; the emulated device links PTX only");
	assert_int_equal(add(s, CU_JIT_INPUT_LIBRARY, "!<arch>", "a.a"), CUDA_ERROR_NOT_SUPPORTED);
	assert_string_equal(message, "a.a: the emulated device links PTX, fat binaries and "
				     "libcudadevrt.a, no other kinds of input");
	assert_int_equal(add(s, CU_JIT_INPUT_PTX, "no PTX", "b"), CUDA_ERROR_INVALID_PTX);
	assert_string_equal(message, "b: PTX line 1: `no` where a directive should be");
	assert_int_equal(EMU(cuLinkAddFile)(s, CU_JIT_INPUT_PTX, "/nonexistent", 0, NULL, NULL),
			 CUDA_ERROR_FILE_NOT_FOUND);
	assert_int_equal(add(s, CU_JIT_INPUT_PTX, entry, "entry"), CUDA_SUCCESS);
	assert_int_equal(EMU(cuLinkComplete)(s, &image, NULL), CUDA_ERROR_INVALID_IMAGE);
	assert_string_equal(message,
			    "`scaled` is used in entry, and nothing that is linked defines it");
	assert_int_equal(EMU(cuLinkDestroy)(s), CUDA_SUCCESS);
	assert_int_equal(EMU(cuLinkComplete)(NULL, &image, NULL), CUDA_ERROR_INVALID_HANDLE);
	assert_int_equal(EMU(cuLinkCreate)(0, NULL, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
}

static char launching[] = HEAD ".extern .func (.param .b32 r) __cudaCDP2GetLastError();\n"
			       ".extern .func (.param .b32 r) __cudaCDP2GetDevice(.param .b64 p);\n"
			       ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<2>;\n.reg .b64 "
			       "%rd<2>;\nld.param.u64 %rd1, [p];\n"
			       "{ .param .b32 a; call.uni (a), __cudaCDP2GetLastError, (); "
			       "ld.param.b32 %r1, [a]; }\nst.global.u32 [%rd1], %r1;\nret;\n}\n";

/* Its functions are the device's own; what the device lacks of them may stand in code that is never
 * reached. */
static void the_library_of_the_device_runtime_is_taken(void **state)
{
	CUlinkState s = begin(), without = begin();
	void *image;
	CUmodule m;

	(void)state;
	assert_int_equal(add(s, CU_JIT_INPUT_PTX, launching, "launching"), CUDA_SUCCESS);
	assert_int_equal(add(s, CU_JIT_INPUT_LIBRARY, "!<arch>", "/cuda/lib/libcudadevrt.a"),
			 CUDA_SUCCESS);
	assert_int_equal(EMU(cuLinkAddFile)(s, CU_JIT_INPUT_LIBRARY, "/nonexistent/libcudadevrt.a",
					    0, NULL, NULL),
			 CUDA_ERROR_FILE_NOT_FOUND);
	assert_int_equal(EMU(cuLinkComplete)(s, &image, NULL), CUDA_SUCCESS);
	assert_int_equal(EMU(cuModuleLoadData)(&m, image), CUDA_SUCCESS);
	assert_int_equal(EMU(cuModuleUnload)(m), CUDA_SUCCESS);
	assert_int_equal(EMU(cuLinkDestroy)(s), CUDA_SUCCESS);
	assert_int_equal(add(without, CU_JIT_INPUT_PTX, launching, "launching"), CUDA_SUCCESS);
	assert_int_equal(EMU(cuLinkComplete)(without, &image, NULL), CUDA_ERROR_INVALID_IMAGE);
	assert_string_equal(message, "`__cudaCDP2GetDevice` is used in launching, and nothing that "
				     "is linked defines it");
	assert_int_equal(EMU(cuLinkDestroy)(without), CUDA_SUCCESS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(modules_run_as_one),
		cmocka_unit_test(what_is_linked_can_be_linked_again),
		cmocka_unit_test(refusals_are_in_the_log),
		cmocka_unit_test(the_library_of_the_device_runtime_is_taken),
	};

	emulator_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
