/* SPDX-License-Identifier: Apache-2.0 */
/* PTX text to modules: what is listed, where variables get their bytes, what is refused and how
 * that is told. */
#include "emulator/decode/ptx-decode.h"
#include "emulator/decode/ptx-function.h"
#include "tests/unit/emulator/machine.h"

static struct ptx_module *load(const char *body, struct error *err)
{
	struct buffer text = BUFFER_INIT;
	struct ptx_module *m;

	buffer_printf(&text, "%s%s", PTX_HEAD, body);
	/* No byte behind the text may be read. */
	char *exact = malloc(text.len);
	assert_non_null(exact);
	memcpy(exact, text.data, text.len);
	m = ptx_module_load(exact, text.len, &machine_ptx, err);
	free(exact);
	buffer_release(&text);
	return m;
}

static struct ptx_module *must_load(const char *body)
{
	struct error err = ERROR_INIT;
	struct ptx_module *m = load(body, &err);

	if (!m)
		fail_msg("%s", err.text);
	return m;
}

static void a_version_that_is_no_number_of_one_is_refused(void **state)
{
	static const char *const versions[] = { "1e64", "1000.0", "0d7FF8000000000000",
						"99999999999" };

	(void)state;
	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		cleanup_buffer struct buffer text = BUFFER_INIT;
		struct error err = ERROR_INIT;

		buffer_printf(&text, ".version %s\n.target sm_75\n.address_size 64\n", versions[i]);
		assert_null(ptx_module_load(text.data, text.len, &machine_ptx, &err));
		if (!strstr(err.text, "the emulated device knows versions up to 9.9"))
			fail_msg("%s: %s", versions[i], err.text);
	}
}

static void entries_list_their_parameters(void **state)
{
	struct ptx_module *m = must_load(".visible .entry first(.param .u32 a, .param .u64 b, "
					 ".param .align 8 .b8 c[12], .param .u8 d)\n"
					 ".maxntid 128, 2, 1 .minnctapersm 3 { ret; }\n"
					 ".entry second() .reqntid 64 { .shared .align 16 .b8 "
					 "s[100]; .shared .f64 t; .local .b32 l[6]; ret; }\n"
					 ".extern .func helper(.param .b32 x);");
	struct ptx_function *f = ptx_module_function(m, "first");

	(void)state;
	assert_int_equal(ptx_module_version(m), 90);
	assert_int_equal(ptx_module_target(m), 75);
	assert_int_equal(ptx_module_function_count(m), 3);
	assert_int_equal(f->param_count, 4);
	assert_string_equal(f->params[2].name, "c");
	assert_int_equal(f->params[1].offset, 8);
	assert_int_equal(f->params[2].offset, 16);
	assert_int_equal(f->params[2].size, 12);
	assert_int_equal(f->params[3].offset, 28);
	assert_int_equal(f->param_size, 29);
	assert_int_equal(f->max_threads[0] * f->max_threads[1], 256);
	assert_int_equal(f->min_blocks, 3);
	f = ptx_module_function(m, "second");
	assert_int_equal(f->required_threads[0], 64);
	assert_int_equal(f->static_shared, 112);
	assert_int_equal(ptx_function_prepare(f, NULL), 0);
	assert_int_equal(f->local_size, 32);
	assert_false(ptx_module_function(m, "helper")->has_body);
	assert_null(ptx_module_function(m, "nobody"));
	ptx_module_free(m);
}

static void variables_get_bytes_and_addresses(void **state)
{
	struct device *d = device_new();
	const struct ptx_variable *v;
	const unsigned char *bytes;
	uint64_t words[4];

	(void)state;
	device_load(d, ".global .align 4 .u32 a[2][2] = {{1, 2}, {3}};\n"
		       ".const .align 8 .f64 c = 0d3FF8000000000000;\n"
		       ".visible .global .align 8 .u64 p[4] = {generic(a)+4, f, 7, c};\n"
		       ".global .align 2 .b8 bytes[] = {0xff, 010, 0b101};\n"
		       ".global .f32 half = 0.5;\n"
		       ".global .attribute(.managed) .align 4 .s32 m = -3;\n"
		       ".func f() { ret; }");
	v = ptx_module_variable(d->module, "a");
	assert_int_equal(v->size, 16);
	assert_memory_equal(device_bytes(d, v->address), ((uint32_t[]){ 1, 2, 3, 0 }), 16);
	memcpy(words, device_bytes(d, ptx_module_variable(d->module, "p")->address), sizeof(words));
	assert_int_equal(words[0], v->address + 4);
	assert_int_equal(words[1], ptx_module_function(d->module, "f")->code_address);
	assert_int_equal(words[2], 7);
	assert_int_equal(words[3], ptx_module_variable(d->module, "c")->address);
	v = ptx_module_variable(d->module, "bytes");
	bytes = device_bytes(d, v->address);
	assert_int_equal(v->size, 3);
	assert_true(bytes[0] == 255 && bytes[1] == 8 && bytes[2] == 5);
	assert_true(*(float *)device_bytes(d, ptx_module_variable(d->module, "half")->address) ==
		    0.5f);
	v = ptx_module_variable(d->module, "m");
	assert_true(v->managed);
	assert_int_equal(*(int32_t *)device_bytes(d, v->address), -3);
	device_free(d);
}

static int keep_bytes(void *data, const struct ptx_variable *v, uint64_t *address, void **bytes,
		      struct error *err)
{
	(void)v;
	(void)err;
	*address = *(uint64_t *)data;
	*bytes = NULL;
	return 0;
}

static bool resolve_shared_name(void *data, const char *name, uint64_t *address)
{
	(void)data;
	*address = 0x1234;
	return !strcmp(name, "elsewhere");
}

static void undefined_names_are_told(void **state)
{
	struct error err = ERROR_INIT;
	uint64_t address = 4096;
	struct ptx_placer placer = { .data = &address, .place = keep_bytes };
	struct ptx_module *m = must_load(".extern .global .u32 elsewhere;");

	(void)state;
	assert_int_equal(ptx_module_place(m, &placer, &err), -1);
	assert_int_equal(err.code, ERROR_NOT_FOUND);
	assert_non_null(strstr(err.text,
			       "`elsewhere` is declared .extern but no loaded module defines it"));
	placer.resolve = resolve_shared_name;
	assert_int_equal(ptx_module_place(m, &placer, &err), 0);
	assert_int_equal(ptx_module_variable(m, "elsewhere")->address, 0x1234);
	ptx_module_free(m);
}

static void assert_refused(const char *body, const char *part)
{
	struct error err = ERROR_INIT;
	struct ptx_module *m = load(body, &err);

	assert_null(m);
	assert_int_equal(err.code, ERROR_COMPILE);
	if (!strstr(err.text, part))
		fail_msg("expected `%s` in `%s`", part, err.text);
}

static void malformed_text_is_refused_with_its_line(void **state)
{
	struct error err = ERROR_INIT;

	(void)state;
	assert_refused(".entry k( { }", "PTX line 4: `.param` expected before `{`");
	assert_refused("\n.entry k() { add.s32 %r1, %r2 }", "PTX line 5: ");
	assert_refused(".entry k() { add.s32", "the text ends");
	assert_refused(".entry k() { @5 ret; }", "a guard must be a predicate register");
	assert_refused(".entry k() { ret; } .entry k() { ret; }", "`k` is defined twice");
	assert_refused(".global .u32 x[2] = {1, 2, 3};", "too many values for `x`");
	assert_refused("hello", "a directive expected before `hello`");
	assert_refused(".global .align 3 .u32 x;", "power of two");
	/* What is no token still ends. */
	assert_refused(".section .debug_str { 0fz", "the text ends");
	assert_refused(".entry k() { .reg .b128 %q; }",
		       "registers of type `.b128` are not supported");
	assert_null(ptx_module_load("not ptx at all", 14, &machine_ptx, &err));
	assert_null(ptx_module_load("", 0, &machine_ptx, &err));
	assert_non_null(strstr(err.text, "this is not PTX"));
}

/* Every cut of a valid text is either a module or an error, never more. */
static void any_prefix_is_survived(void **state)
{
	static const char text[] =
		PTX_HEAD ".global .align 8 .u64 p[4] = {generic(p)+4, 7};\n/* c */ // d\n"
			 ".visible .entry k(.param .u64 a) .maxntid 32 {\n.reg .b32 %r<9>; .reg "
			 ".pred %p; .local .b8 l[4];\n"
			 ".loc 1 2 3, function_name $L__i0, inlined_at 1 4 5\n"
			 "{ .param .b64 q; call.uni (q), f, (q); }\n@!%p bra L; setp.lt.s32 %p|_, "
			 "%r1, -5; L: ret; }\n"
			 ".file 1 \"a\"\n.section .debug_str { $L__i0: .b8 65,0 }\n";
	struct error err = ERROR_INIT;
	size_t loaded = 0;

	(void)state;
	for (size_t n = 0; n < sizeof(text); n++) {
		struct ptx_module *m = ptx_module_load(text, n, &machine_ptx, &err);

		if (!m)
			continue;
		loaded++;
		for (size_t i = 0; i < ptx_module_function_count(m); i++)
			if (ptx_module_function_at(m, i)->has_body)
				assert_int_equal(
					ptx_function_prepare(ptx_module_function_at(m, i), &err),
					0);
		ptx_module_free(m);
	}
	assert_true(loaded > 10);
}

static void prepare_odd(const char *opcode, size_t len, const char *modifiers, unsigned operands)
{
	static const char *const rows[] = { "%r1, %r2, %r3, %r4, %r5, %r6",
					    "%p, [%d1], %d2, 1, %p, 0f00000000",
					    "{%r1, %r2}, [x+4, {%r1, %r2}], {%r3}, {%r4}, %p|_, -1",
					    "x, L, (%r1), 7, x, %h1" };
	cleanup_buffer struct buffer text = BUFFER_INIT;
	struct error err = ERROR_INIT;
	struct ptx_module *m;

	buffer_puts(&text, ".shared .b32 x[4];\n");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *end = rows[i];

		for (unsigned n = 0; n < operands; n++)
			end += strcspn(end + 1, ",") + 1;
		buffer_printf(&text,
			      ".entry k%zu() { .reg .pred %%p; .reg .b16 %%h<3>; .reg .b32 %%r<9>; "
			      ".reg .b64 %%d<9>;\n"
			      "L: %.*s%s %.*s; }\n",
			      i, (int)len, opcode, modifiers, (int)(end - rows[i]), rows[i]);
	}
	m = load(buffer_text(&text), &err);
	for (size_t i = 0; m && i < ptx_module_function_count(m); i++)
		ptx_function_prepare(ptx_module_function_at(m, i), &err);
	ptx_module_free(m);
}

/* Each opcode with fewer and with other modifiers and operands than it has: carried out or refused,
 * and nothing else. */
static void odd_forms_of_each_opcode_are_survived(void **state)
{
	static const char *const others[] = {
		"mov",       "ld",        "ldu",          "st",       "setp",  "bra",
		"cvt",       "cvta",      "selp",         "ret",      "bar",   "barrier",
		"atom",      "red",       "shfl",         "vote",     "match", "redux",
		"elect",     "membar",    "fence",        "call",     "brx",   "nanosleep",
		"set",       "lop3",      "bfi",          "isspacep", "madc",  "mad",
		"vabsdiff4", "vadd2",     "tex",          "tld4",     "txq",   "suq",
		"suld",      "sust",      "sured",        "wmma",     "mma",   "ldmatrix",
		"stmatrix",  "movmatrix", "cp",           "mbarrier", "mapa",  "getctarank",
		"alloca",    "stacksave", "stackrestore",
	};
	static const char *const modifiers[] = { "",          ".u32",        ".cc",
						 ".hi.cc",    ".v4",         ".f32.f16",
						 ".sync",     ".shared.b64", ".2d.v4.f32.s32",
						 ".async.cg", ".arrive" };

	(void)state;
	for (size_t i = 0; i < sizeof(modifiers) / sizeof(modifiers[0]); i++)
		for (unsigned n = 0; n <= 6; n++) {
			for (size_t k = 0; k < sizeof(others) / sizeof(others[0]); k++)
				prepare_odd(others[k], strlen(others[k]), modifiers[i], n);
			for (size_t k = 0; k < OP_COUNT; k += 7)
				prepare_odd(op_table[k].form, strcspn(op_table[k].form, "."),
					    modifiers[i], n);
		}
}

static void registers_are_few_however_many_are_declared(void **state)
{
	struct buffer text = BUFFER_INIT;
	struct ptx_module *m;
	struct ptx_function *f;

	(void)state;
	buffer_puts(&text, ".entry k(.param .u64 p) { .reg .b32 %r<20001>; .reg .b64 %d<3>; "
			   "ld.param.u64 %d0, [p];\n"
			   "ld.global.u32 %r0, [%d0];\n");
	for (int i = 1; i <= 20000; i++)
		buffer_printf(&text, "add.s32 %%r%d, %%r%d, %d;\n", i, i - 1, i % 5);
	buffer_puts(&text, "st.global.u32 [%d0], %r20000; ret; }");
	m = must_load(text.data);
	f = ptx_module_function(m, "k");
	assert_int_equal(ptx_function_prepare(f, NULL), 0);
	assert_true(f->registers < 24);
	ptx_module_free(m);
	buffer_release(&text);
}

static void printf_formats_as_c_does(void **state)
{
	struct device *d = device_new();

	(void)state;
	/* "%d|%5.1f|%s|%c|%llx|%%\n" with -3, 2.25, "ab", 'z', 2^40 */
	device_load(
		d, ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
		   ".global .align 1 .b8 fmt[26] = "
		   "{37,100,124,37,53,46,49,102,124,37,115,124,37,99,124,37,108,108,120,124,37,37,"
		   "10,0};\n.global .align 1 .b8 str[3] = {97,98,0};\n"
		   ".visible .entry k() { .local .align 8 .b8 frame[40]; .reg .b64 %rd<6>; .reg "
		   ".b32 %r<4>;\n"
		   "mov.u64 %rd0, frame; cvta.local.u64 %rd1, %rd0; mov.u32 %r0, -3; st.local.u32 "
		   "[%rd0], %r0;\n"
		   "mov.u64 %rd2, 0x4002000000000000; st.local.u64 [%rd0+8], %rd2; mov.u64 %rd3, "
		   "str;\n"
		   "st.local.u64 [%rd0+16], %rd3; mov.u32 %r1, 122; st.local.u32 [%rd0+24], %r1;\n"
		   "mov.u64 %rd4, 1099511627776; st.local.u64 [%rd0+32], %rd4; mov.u64 %rd5, fmt;\n"
		   "{ .param .b64 a; .param .b64 b; .param .b32 c; st.param.b64 [a], %rd5; "
		   "st.param.b64 [b], %rd1;\n"
		   "call.uni (c), vprintf, (a, b); ld.param.b32 %r2, [c]; } ret; }");
	assert_runs(d, "k", 1, 2, NULL, 0);
	assert_string_equal(buffer_text(&d->printed),
			    "-3|  2.2|ab|z|10000000000|%\n-3|  2.2|ab|z|10000000000|%\n");
	device_free(d);
}

/*
 * Each lane keeps the word of the round with the least number so far, as compilers write it when
 * the variable has no value before the loop: the copy and what it copies are each written at one
 * place only.
 */
static void a_copy_in_a_loop_is_kept(void **state)
{
	static const uint32_t numbers[] = { 5, 2, 7, 9 };
	struct device *d = device_new();
	uint64_t in = device_buffer(d, "in", sizeof(numbers)), out = device_buffer(d, "out", 4);
	uint64_t params[] = { in, out };

	(void)state;
	memcpy(device_bytes(d, in), numbers, sizeof(numbers));
	device_load(d, ".visible .entry k(.param .u64 in, .param .u64 out) {\n.reg .b64 %rd<4>; "
		       ".reg .b32 %r<6>; .reg .pred %p<3>;\n"
		       "ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; mov.u32 %r1, 1000; "
		       "mov.u32 %r2, 0;\n"
		       "next: ld.global.u32 %r3, [%rd1]; mul.lo.u32 %r4, %r3, 10; setp.ge.u32 %p1, "
		       "%r3, %r1;\n"
		       "@%p1 bra skip;\nmov.u32 %r5, %r4; mov.u32 %r1, %r3;\n"
		       "skip: add.s64 %rd1, %rd1, 4; add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 4; "
		       "@%p2 bra next;\n"
		       "st.global.u32 [%rd2], %r5; ret; }");
	assert_runs(d, "k", 1, 1, params, sizeof(params));
	assert_int_equal(*(uint32_t *)device_bytes(d, out), 20);
	device_free(d);
}

/* Arrays of 60,000 bytes, of which a block has room for one: by way of two calls, a pointer, or not
 * at all. */
static void an_entry_has_the_shared_arrays_that_it_reaches(void **state)
{
	struct ptx_module *m = must_load(".shared .align 4 .b8 a[40000];\n.shared .align 4 .b8 "
					 "b[40000];\n.shared .align 4 .b8 both[40];\n"
					 ".extern .shared .align 16 .b8 dynamic[];\n"
					 ".func deeper() { .shared .b8 own[100]; .reg .b32 %r<2>; "
					 "mov.u32 %r1, own; mov.u32 %r1, both; ret; }\n"
					 ".func deep() { .reg .b32 %r<2>; call.uni deeper, (); "
					 "mov.u32 %r1, a; mov.u32 %r1, dynamic; ret; }\n"
					 ".visible .entry calls() { call.uni deep, (); ret; }\n"
					 ".visible .entry names() { .shared .b8 mine[8]; .reg .b32 "
					 "%r<2>; mov.u32 %r1, b; mov.u32 %r1, both; ret; }\n"
					 ".visible .entry nothing() { ret; }\n"
					 ".visible .entry jumps() { .reg .b64 %rd<2>; prototype: "
					 ".callprototype _ (); call %rd1, (), prototype; ret; }");
	const struct ptx_function *calls = ptx_module_function(m, "calls"),
				  *names = ptx_module_function(m, "names");
	const struct ptx_function *jumps = ptx_module_function(m, "jumps");

	(void)state;
	assert_int_equal(calls->static_shared, 40140);
	assert_int_equal(calls->shared_array_count, 3);
	assert_string_equal(calls->dynamic_shared, "dynamic");
	assert_int_equal(names->static_shared, 40048);
	assert_int_equal(names->shared_array_count, 3);
	assert_null(names->dynamic_shared);
	assert_int_equal(ptx_module_function(m, "nothing")->shared_array_count, 0);
	assert_int_equal(jumps->shared_array_count, 3);
	assert_int_equal(ptx_module_variable(m, "a")->address,
			 ptx_module_variable(m, "b")->address);
	for (uint32_t i = 1; i < calls->shared_array_count; i++)
		assert_true(calls->shared_arrays[i].offset >=
			    calls->shared_arrays[i - 1].offset + calls->shared_arrays[i - 1].size +
				    256);
	ptx_module_free(m);
}

static void shared_arrays_that_do_not_fit_are_told(void **state)
{
	struct error err = ERROR_INIT;

	(void)state;
	assert_null(load(
		".shared .b8 a[30000];\n.shared .b8 b[30000];\n"
		".visible .entry k() { .reg .b32 %r<2>; mov.u32 %r1, a; mov.u32 %r1, b; ret; }",
		&err));
	assert_non_null(
		strstr(err.text,
		       "the __shared__ variables of `k` take 60000 bytes, and 49152 is the most."));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_version_that_is_no_number_of_one_is_refused),
		cmocka_unit_test(entries_list_their_parameters),
		cmocka_unit_test(variables_get_bytes_and_addresses),
		cmocka_unit_test(undefined_names_are_told),
		cmocka_unit_test(malformed_text_is_refused_with_its_line),
		cmocka_unit_test(any_prefix_is_survived),
		cmocka_unit_test(odd_forms_of_each_opcode_are_survived),
		cmocka_unit_test(registers_are_few_however_many_are_declared),
		cmocka_unit_test(printf_formats_as_c_does),
		cmocka_unit_test(a_copy_in_a_loop_is_kept),
		cmocka_unit_test(an_entry_has_the_shared_arrays_that_it_reaches),
		cmocka_unit_test(shared_arrays_that_do_not_fit_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
