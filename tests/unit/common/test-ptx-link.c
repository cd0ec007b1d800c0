/* SPDX-License-Identifier: Apache-2.0 */
/* PTX modules become one: which symbols meet, which stay apart, and what is said when they do not
 * fit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/cuda/ptx-link.h"

#define HEAD ".version 8.4\n.target sm_75\n.address_size 64\n"

static bool known(const char *name)
{
	return !strcmp(name, "vprintf");
}

/* The linked text behind its header, or the message. */
static void check(const char *const *texts, const char *expected)
{
	static const char *const names[] = { "a.ptx", "b.ptx", "c.ptx" };
	cleanup_buffer struct buffer out = BUFFER_INIT;
	struct error err = ERROR_INIT;
	struct ptx_link l;
	int failed = 0;

	ptx_link_init(&l);
	for (int i = 0; !failed && texts[i]; i++)
		failed = ptx_link_add(&l, names[i], texts[i], strlen(texts[i]), &err);
	if (!failed)
		failed = ptx_link_end(&l, known, &out, &err);
	ptx_link_release(&l);
	assert_string_equal(failed ? err.text : buffer_text(&out), expected);
	assert_int_equal(failed ? err.code : ERROR_COMPILE, ERROR_COMPILE);
}

#define CHECK(expected, ...) check((const char *const[]){ __VA_ARGS__, NULL }, expected)

static void names_meet(void **state)
{
	(void)state;
	CHECK(".version 9.0\n.target sm_80\n.address_size 64\n"
	      ".visible .func (.param .b32 r) twice (.param .b32 x);\n"
	      ".visible .global .align 4 .u32 count = 7;\n"
	      ".visible .entry k() { call (r), twice, (x); ld.global.u32 %r1, [count]; ret; }\n"
	      ".visible .func (.param .b32 r) twice (.param .b32 x) { ret; }\n",
	      HEAD ".extern .func (.param .b32 r) twice (.param .b32 x);\n.extern .global .align 4 "
		   ".u32 count;\n"
		   ".visible .entry k() { call (r), twice, (x); ld.global.u32 %r1, [count]; ret; }",
	      ".version 9.0\n.target sm_80, texmode_independent\n.address_size 64\n.visible "
	      ".global .align 4 .u32 count = 7;\n"
	      ".visible .func (.param .b32 r) twice (.param .b32 x) { ret; }");
}

static void a_module_keeps_what_is_its_own(void **state)
{
	(void)state;
	CHECK(".version 8.4\n.target sm_75\n.address_size 64\n"
	      ".const .align 4 .b8 table[2] = {1, 2};\n"
	      ".const .align 4 .b8 table$2[2] = {3, 4};\n"
	      ".const .b8 table$3;\n"
	      ".func f() { mov.u64 %rd1, table; ret; }\n"
	      ".func f$2() { mov.u64 %rd1, table$2; /* table */ ret; }\n"
	      ".visible .func table$3x() { ret; }\n",
	      HEAD
	      ".const .align 4 .b8 table[2] = {1, 2};\n.func f() { mov.u64 %rd1, table; ret; }\n",
	      HEAD ".const .align 4 .b8 table[2] = {3, 4};\n.func f() { mov.u64 %rd1, table; /* "
		   "table */ ret; }\n",
	      HEAD ".visible .func table$3x() { ret; }\n.const .b8 table;\n");
	/* One that others may see keeps its name, whichever module comes first. */
	CHECK(".version 8.4\n.target sm_75\n.address_size 64\n"
	      ".func f$1() { ret; }\n.visible .func f() { ret; }\n",
	      HEAD ".func f() { ret; }", HEAD ".visible .func f() { ret; }");
}

static void one_weak_definition_stays(void **state)
{
	(void)state;
	CHECK(".version 8.4\n.target sm_75\n.address_size 64\n.common .global .b32 c;\n.weak .func "
	      "w() { trap; }\n",
	      HEAD ".weak .func w() { trap; }\n.common .global .b32 c;",
	      HEAD ".weak .func w() { ret; }\n.common .global .b32 c;");
	CHECK(".version 8.4\n.target sm_75\n.address_size 64\n.visible .func w() { ret; }\n",
	      HEAD ".weak .func w() { trap; }", HEAD ".visible .func w() { ret; }",
	      HEAD ".weak .func w() { trap; }");
}

static void places_in_source_files_are_kept(void **state)
{
	(void)state;
	CHECK(".version 8.4\n.target sm_75\n.address_size 64\n"
	      ".file 1 \"a.cu\"\n.file 3 \"a.h\", 12, 34\n"
	      ".section .debug_str { $L__info_string0: .b8 95, 0 }\n"
	      ".file 4 \"b.cu\"\n.file 5 \"b.h\"\n"
	      ".section .debug_str { $L__info_string0$2: .b8 96, 0 }\n"
	      ".visible .entry a() { .loc 1 5 2\nret; }\n"
	      ".visible .entry b() { .loc 4 7 1, function_name $L__info_string0$2, inlined_at 5 9 "
	      "3\nret; }\n",
	      HEAD ".visible .entry a() { .loc 1 5 2\nret; }\n.file 1 \"a.cu\"\n.file 3 \"a.h\", "
		   "12, 34\n"
		   ".section .debug_str { $L__info_string0: .b8 95, 0 }",
	      HEAD ".visible .entry b() { .loc 1 7 1, function_name $L__info_string0, inlined_at 2 "
		   "9 3\nret; }\n"
		   ".file 1 \"b.cu\"\n.file 2 \"b.h\"\n.section .debug_str { $L__info_string0: .b8 "
		   "96, 0 }");
}

static void dynamic_shared_memory_is_one_for_all(void **state)
{
	(void)state;
	CHECK(".version 8.4\n.target sm_75\n.address_size 64\n.extern .shared .align 16 .b8 "
	      "all[];\n"
	      ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v);\n",
	      HEAD ".extern .shared .align 16 .b8 all[];\n.extern .func (.param .b32 r) "
		   "vprintf(.param .b64 f, .param .b64 v);",
	      HEAD ".extern .shared .align 16 .b8 all[];\n.extern .func (.param .b32 r) "
		   "vprintf(.param .b64 f, .param .b64 v);");
}

static void what_does_not_fit_is_said(void **state)
{
	(void)state;
	CHECK("`f` is defined in a.ptx and in c.ptx", HEAD ".visible .func f() { ret; }",
	      HEAD ".weak .func f() { ret; }", HEAD ".visible .func f() { ret; }");
	CHECK("`missing` is used in b.ptx, and nothing that is linked defines it", HEAD,
	      HEAD ".extern .func missing();");
	CHECK("`v` is used in a.ptx, and nothing that is linked defines it",
	      HEAD ".extern .global .b32 v;", HEAD ".global .b32 v;");
	CHECK("b.ptx: PTX line 4: `oops` where a directive should be", HEAD, HEAD "oops");
	CHECK("a.ptx: PTX line 5: the text ends where a closing bracket should follow",
	      HEAD ".func f() {\n");
	CHECK("a.ptx: PTX line 4: the text ends where `;` should follow", HEAD ".global .b32 x");
	CHECK("a.ptx: no .version directive: this is not PTX", ".target sm_75\n");
}

/* The first function of the device runtime that a text lacks; "": none. */
static void check_missing(const char *text, const char *expected)
{
	struct error err = ERROR_INIT;
	struct ptx_link l;
	const char *missing;

	ptx_link_init(&l);
	assert_int_equal(ptx_link_add(&l, "a.ptx", text, strlen(text), &err), 0);
	missing = ptx_link_missing(&l, ptx_link_is_device_runtime);
	assert_string_equal(missing ? missing : "", expected);
	ptx_link_release(&l);
}

static void what_the_device_runtime_is_to_bring_is_known(void **state)
{
	(void)state;
	check_missing(HEAD ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v);\n"
			   ".extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(.param .b64 p, "
			   ".param .b64 s);\n",
		      "__cudaCDP2LaunchDeviceV2");
	check_missing(HEAD ".extern .func (.param .b32 r) cudaLaunchDevice(.param .b64 p);\n",
		      "cudaLaunchDevice");
	/* What the text has itself; functions and variables of others, and a text in which these
	 * words only stand. */
	check_missing(HEAD ".extern .func cudaGetDevice();\n.weak .func cudaGetDevice() { ret; }\n",
		      "");
	check_missing(HEAD ".extern .func cuda_scale();\n.extern .func _Z9cudaScalev();\n.extern "
			   ".global .b32 cudaNumber;\n"
			   ".file 1 \"cudaLaunchDevice\"\n/* .extern .func cudaLaunchDevice(); "
			   "*/\n.func f() { ret; }\n",
		      "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_meet),
		cmocka_unit_test(a_module_keeps_what_is_its_own),
		cmocka_unit_test(one_weak_definition_stays),
		cmocka_unit_test(places_in_source_files_are_kept),
		cmocka_unit_test(dynamic_shared_memory_is_one_for_all),
		cmocka_unit_test(what_does_not_fit_is_said),
		cmocka_unit_test(what_the_device_runtime_is_to_bring_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
