/* SPDX-License-Identifier: Apache-2.0 */
/* Guarded buffers of the emulated device: who is asked before device code writes to one, and how
 * often. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/device-code-units.h"
#include "tests/unit/emulator.h"

#define CHUNK (2u << 20)
#define FIRST 0
#define SECOND 4096

static CUdeviceptr chunk;
static CUfunction bump; /* writes n ints */
static struct emulator_guarded asked;
static char name[32];
static int times, answer;
static int content; /* of the buffer when it was asked */

static int before_write(const struct emulator_guarded *g)
{
	asked = *g;
	snprintf(name, sizeof(name), "%s", g->name);
	times++;
	memcpy(&content, g->bytes, sizeof(content));
	if (!answer)
		extension->guard_lift(g->address);
	return answer;
}

static CUresult launch(CUdeviceptr p, int n)
{
	void *args[] = { &p, &n };
	CUresult result = EMU(cuLaunchKernel)(bump, 1, 1, 1, 32, 1, 1, 0, NULL, args, NULL);

	return result ? result : EMU(cuCtxSynchronize)();
}

static int set_up(void **state)
{
	static const CUmemAllocationProp prop = { .type = CU_MEM_ALLOCATION_TYPE_PINNED,
						  .location = {
							  .type = CU_MEM_LOCATION_TYPE_DEVICE } };
	const CUmemAccessDesc access = { prop.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE };
	struct emulator_annotation first = { .size = 64, .name = "first", .cell = 3 },
				   second = { .size = 64, .name = "second" };
	CUmemGenericAllocationHandle h = 0;
	CUmodule m;

	(void)state;
	emulator_start();
	assert_false(EMU(cuModuleLoadData)(&m, PTX_UNIT_1) ||
		     EMU(cuModuleGetFunction)(&bump, m, "_Z4bumpPii"));
	assert_false(EMU(cuMemAddressReserve)(&chunk, CHUNK, 0, 0, 0) ||
		     EMU(cuMemCreate)(&h, CHUNK, &prop, 0));
	assert_false(EMU(cuMemMap)(chunk, CHUNK, 0, h, 0) ||
		     EMU(cuMemSetAccess)(chunk, CHUNK, &access, 1));
	first.address = chunk + FIRST;
	second.address = chunk + SECOND;
	assert_false(extension->annotate(&first) || extension->annotate(&second));
	return 0;
}

static int begin(void **state)
{
	(void)state;
	times = answer = 0;
	extension->guard(before_write);
	return EMU(cuMemsetD32)(chunk, 77, CHUNK / 4);
}

static void the_first_write_is_asked_for(void **state)
{
	int value;

	(void)state;
	assert_int_equal(launch(chunk + FIRST, 4), 0);
	assert_int_equal(times, 1);
	assert_true(asked.address == chunk + FIRST && asked.size == 64 && asked.cell == 3 &&
		    asked.device == 0);
	assert_string_equal(name, "first");
	assert_int_equal(content, 77);
	assert_int_equal(launch(chunk + FIRST + 16, 4), 0);
	assert_int_equal(times, 1);
	assert_int_equal(launch(chunk + SECOND, 1), 0);
	assert_int_equal(times, 2);
	assert_true(asked.address == chunk + SECOND);
	assert_true(!EMU(cuMemcpyDtoH)(&value, chunk + SECOND, 4) && value != 77);
}

static void each_guard_begins_anew(void **state)
{
	(void)state;
	assert_int_equal(launch(chunk + FIRST, 4), 0);
	extension->guard(before_write);
	assert_int_equal(launch(chunk + FIRST, 4), 0);
	assert_int_equal(times, 2);
	extension->guard(NULL);
	assert_int_equal(launch(chunk + SECOND, 4), 0);
	assert_int_equal(times, 2);
}

static void what_is_lifted_or_new_is_not_asked_for(void **state)
{
	struct emulator_annotation again = { .address = chunk + SECOND,
					     .size = 64,
					     .name = "another name" };
	struct emulator_annotation fresh = { .address = chunk + 8192, .size = 64, .name = "" };

	(void)state;
	extension->guard_lift(chunk + FIRST);
	assert_true(!extension->guard_holds(chunk + FIRST) &&
		    extension->guard_holds(chunk + SECOND));
	assert_int_equal(launch(chunk + FIRST, 4), 0);
	assert_false(extension->annotate(&fresh));
	assert_int_equal(launch(chunk + 8192, 4), 0);
	assert_int_equal(times, 0);
	/* A name that has become known changes nothing. */
	assert_false(extension->annotate(&again));
	assert_int_equal(launch(chunk + SECOND, 4), 0);
	assert_int_equal(times, 1);
	/* What the host does is the business of who asks for it. */
	extension->guard(before_write);
	assert_int_equal(EMU(cuMemsetD32)(chunk, 5, 4), 0);
	assert_int_equal(times, 1);
}

static void many_threads_that_write_ask_about_what_they_write(void **state)
{
	(void)state;
	for (int i = 0; i < 50; i++) {
		extension->guard(before_write);
		times = 0;
		assert_int_equal(launch(chunk + FIRST, 16), 0);
		assert_int_not_equal(times, 0);
		assert_false(extension->guard_holds(chunk + FIRST));
		assert_true(extension->guard_holds(chunk + SECOND));
	}
}

/* The last one: the device is broken then. */
static void a_refusal_is_a_fault(void **state)
{
	struct emulator_fault fault;

	(void)state;
	answer = 1;
	assert_int_equal(launch(chunk + SECOND, 4), CUDA_ERROR_ILLEGAL_ADDRESS);
	assert_true(extension->last_fault(&fault) && fault.address == chunk + SECOND);
	assert_non_null(strstr(fault.text, "could not be kept for a rollback"));
	assert_int_equal(*(int *)extension->bytes(chunk + SECOND), 77);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_first_write_is_asked_for, begin),
		cmocka_unit_test_setup(each_guard_begins_anew, begin),
		cmocka_unit_test_setup(what_is_lifted_or_new_is_not_asked_for, begin),
		cmocka_unit_test_setup(many_threads_that_write_ask_about_what_they_write, begin),
		cmocka_unit_test_setup(a_refusal_is_a_fault, begin),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
