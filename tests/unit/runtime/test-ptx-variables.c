/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/cuda/ptx/ptx-variables: what is found in a module, initial bytes with addresses in them,
 * and the rewritten text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "runtime/cuda/ptx/ptx-variables.h"

#define HEAD ".version 9.0\n.target sm_75\n.address_size 64\n"

static const char module[] = HEAD
	"// .global .u32 not_one;\n"
	".visible .func (.param .b32 r) _Z2sqf\n(\n\t.param .b32 p\n)\n;\n"
	".visible .global .align 4 .u32 counter;\n"
	".visible .const .align 4 .b8 coef[8] = {0, 0, 192, 63, 0, 0, 32, 64};\n"
	".visible .global .align 8 .u64 ptr = generic(counter);\n"
	".visible .global .attribute(.managed) .align 4 .u32 m = 5;\n"
	".visible .global .align 8 .u64 pp[3] = {3, generic(counter)+4, 4612811918334230528};\n"
	".global .align 1 .b8 $str[3] = {104, 105};\n"
	".visible .global .align 8 .u64 fp = _Z2sqf;\n"
	".visible .global .align 8 .u64 pfp = generic(fp);\n"
	".global .align 8 .f64 hid = 0d4008000000000000;\n"
	".visible .global .align 2 .s16 sh[2] = {-2, 3};\n"
	".visible .global .align 4 .b8 packed[2] = {0xFF(counter), 0xFF00(counter)};\n"
	".extern .global .align 4 .b8 ext[];\n"
	".visible .entry k(\n\t.param .u64 p0\n)\n{\n"
	"\t.reg .b64 %rd<3>;\n"
	"\tmov.u64 %rd1, coef;\n"
	"$L__1:\n"
	"\t@%p1 ld.const.f32 %f1, [%rd1+4];\n"
	"\t.loc 1 3 5, function_name $L__info_string0, inlined_at 1 2 1\n"
	"\tatom.global.add.u32 %r1, [counter], 1;\n"
	"\tld.global.v2.u32 {%r1, %r2}, [pp+8];\n"
	"\tmov.u64 %rd2, pp+16;\n"
	"\tld.global.u64 %rd2, [fp];\n"
	"\tbra $L__1;\n"
	"}\n";

static void scan(struct ptx_variables *v, const char *text)
{
	struct error err = ERROR_INIT;

	ptx_variables_init(v);
	if (ptx_variables_scan(v, text, strlen(text), &err))
		fail_msg("%s", err.text);
	for (size_t i = 0; i < v->n; i++)
		v->items[i].address = 0x300000000000 + 0x1000 * i;
}

static const struct ptx_variable *get(const struct ptx_variables *v, const char *name)
{
	for (size_t i = 0; i < v->n; i++)
		if (!strcmp(v->items[i].name, name))
			return &v->items[i];
	fail_msg("no variable %s", name);
	return NULL;
}

static void variables_are_found(void **state)
{
	struct ptx_variables v;

	(void)state;
	scan(&v, module);
	assert_int_equal(v.n, 12);
	assert_int_equal(get(&v, "counter")->size, 4);
	assert_true(get(&v, "counter")->is_visible);
	assert_false(get(&v, "counter")->is_initialised);
	assert_true(get(&v, "coef")->is_constant);
	assert_int_equal(get(&v, "coef")->size, 8);
	assert_true(get(&v, "m")->is_managed);
	assert_int_equal(get(&v, "pp")->size, 24);
	assert_int_equal(get(&v, "pp")->align, 8);
	assert_false(get(&v, "$str")->is_visible);
	assert_true(get(&v, "ext")->is_extern);
	assert_int_equal(get(&v, "ext")->size, 0);
	ptx_variables_release(&v);
}

static void addresses_of_functions_stay_in_the_module(void **state)
{
	struct ptx_variables v;

	(void)state;
	scan(&v, module);
	assert_true(get(&v, "fp")->in_module);
	assert_true(get(&v, "pfp")->in_module);
	assert_false(get(&v, "ptr")->in_module);
	ptx_variables_release(&v);
}

static void image_of(const struct ptx_variables *v, const char *name, void *bytes)
{
	struct error err = ERROR_INIT;

	if (ptx_variables_image(v, (size_t)(get(v, name) - v->items), bytes, &err))
		fail_msg("%s", err.text);
}

static void initial_bytes(void **state)
{
	struct ptx_variables v;
	uint64_t counter, q[3];
	int16_t sh[2];
	uint8_t b[8];
	double d;

	(void)state;
	scan(&v, module);
	counter = get(&v, "counter")->address;
	image_of(&v, "coef", b);
	assert_memory_equal(b, "\0\0\300\77\0\0\40\100", 8);
	image_of(&v, "ptr", q);
	assert_true(q[0] == counter);
	image_of(&v, "pp", q);
	assert_true(q[0] == 3 && q[1] == counter + 4 && q[2] == 4612811918334230528);
	image_of(&v, "hid", &d);
	assert_true(d == 3.0);
	image_of(&v, "sh", sh);
	assert_int_equal(sh[0], -2);
	assert_int_equal(sh[1], 3);
	image_of(&v, "packed", b);
	assert_int_equal(b[0], counter & 0xff);
	assert_int_equal(b[1], counter >> 8 & 0xff);
	image_of(&v, "$str", b);
	assert_memory_equal(b, "hi\0", 3);
	image_of(&v, "counter", q);
	assert_int_equal((uint32_t)q[0], 0);
	ptx_variables_release(&v);
}

static void text_reaches_by_address(void **state)
{
	static const char *const expect[] = {
		"\tmov.u64 %rd1, 0x300000001000;\n",
		"$L__1:\n\t@%p1 ld.global.f32 %f1, [%rd1+4];\n",
		"\t.loc 1 3 5, function_name $L__info_string0, inlined_at 1 2 1\n",
		"mov.u64 %cgpu_address0, 0x300000000000;\n\tatom.global.add.u32 %r1, "
		"[%cgpu_address0], 1;\n",
		"mov.u64 %cgpu_address0, 0x300000004000;\n\tld.global.v2.u32 {%r1, %r2}, "
		"[%cgpu_address0+8];\n",
		"\tmov.u64 %rd2, 0x300000004010;\n",
		"\tld.global.u64 %rd2, [fp];\n",
		".visible .global .align 8 .u64 fp = _Z2sqf;",
		"{\n\t.reg .b64 %cgpu_address<4>;\n\t.reg .b64 %rd<3>;",
		"// .global .u32 not_one;\n",
	};
	cleanup_buffer struct buffer out = BUFFER_INIT;
	struct ptx_variables v;

	(void)state;
	scan(&v, module);
	assert_int_equal(ptx_variables_rewrite(&v, &out, NULL), 0);
	for (size_t i = 0; i < sizeof(expect) / sizeof(expect[0]); i++)
		if (!strstr(out.data, expect[i]))
			fail_msg("missing:\n%s\nin:\n%s", expect[i], out.data);
	assert_null(strstr(out.data, "coef"));
	assert_null(strstr(out.data, "[counter"));
	assert_null(strstr(out.data, ".extern"));
	ptx_variables_release(&v);
}

static void text_without_variables_is_unchanged(void **state)
{
	static const char text[] = HEAD ".visible .func f(.param .b32 x);\n";
	cleanup_buffer struct buffer out = BUFFER_INIT;
	struct ptx_variables v;

	(void)state;
	scan(&v, text);
	assert_int_equal(v.n, 0);
	assert_int_equal(ptx_variables_rewrite(&v, &out, NULL), 0);
	assert_string_equal(out.data, text);
	ptx_variables_release(&v);
}

static void malformed_text_is_an_error(void **state)
{
	static const char *const texts[] = {
		HEAD ".global .align 4 .u32 x",
		HEAD ".global .align 4 x;",
		HEAD ".global .u64 x[4611686018427387904];",
		HEAD ".global .u16 x[2][9223372036854775807];",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct error err = ERROR_INIT;
		struct ptx_variables v;

		ptx_variables_init(&v);
		assert_int_equal(ptx_variables_scan(&v, texts[i], strlen(texts[i]), &err), -1);
		assert_non_null(strstr(err.text, "PTX line 4"));
		ptx_variables_release(&v);
	}
}

static void every_cut_is_survived(void **state)
{
	(void)state;
	for (size_t cut = 0; cut < sizeof(module) - 1; cut++) {
		cleanup_buffer struct buffer out = BUFFER_INIT;
		struct ptx_variables v;

		ptx_variables_init(&v);
		if (!ptx_variables_scan(&v, module, cut, NULL)) {
			uint8_t bytes[64];

			for (size_t i = 0; i < v.n; i++)
				ptx_variables_image(&v, i, bytes, NULL);
			ptx_variables_rewrite(&v, &out, NULL);
		}
		ptx_variables_release(&v);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(variables_are_found),
		cmocka_unit_test(addresses_of_functions_stay_in_the_module),
		cmocka_unit_test(initial_bytes),
		cmocka_unit_test(text_reaches_by_address),
		cmocka_unit_test(text_without_variables_is_unchanged),
		cmocka_unit_test(malformed_text_is_an_error),
		cmocka_unit_test(every_cut_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
