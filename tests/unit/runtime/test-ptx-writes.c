/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/cuda/ptx/ptx-writes on small texts: each rule where it holds and where it does not. The
 * result is written as "0 2+8 ..." for a set of bytes of parameters, "own" where the write may go
 * to memory of the cta, sets parted by "; ".
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "runtime/cuda/ptx/ptx-writes.h"

#define HEAD ".version 9.0\n.target sm_75\n.address_size 64\n"
/* p and q are pointers, n a number. */
#define ENTRY                                                                                      \
	".visible .entry k(.param .u64 p, .param .u64 q, .param .u32 n)\n{\n\t.reg .b64 "          \
	"%rd<30>;\n\t.reg .b32 %r<30>;\n"
#define LOADS                                                                                      \
	"ld.param.u64 %rd1, [p];\n\tld.param.u64 %rd2, [q];\n\tld.param.u32 %r1, [n];\n"           \
	"\tcvta.to.global.u64 %rd3, %rd1;\n\tcvta.to.global.u64 %rd4, %rd2;\n"
#define END "\tret;\n}\n"

static const char *writes_of(const char *text)
{
	static struct buffer out;
	struct ptx_writes w;
	struct error err = ERROR_INIT;

	buffer_clear(&out);
	assert_int_equal(ptx_writes_read(&w, text, strlen(text), "k", &err), 0);
	for (uint32_t i = 0; i < w.n_sets && !w.all; i++) {
		buffer_puts(&out, i ? "; " : "");
		for (uint32_t k = 0; k < w.sets[i].n; k++) {
			const struct ptx_writes_base *b = &w.bases[w.sets[i].first + k];

			buffer_puts(&out, k ? " " : "");
			if (b->parameter == PTX_WRITES_ADDRESS)
				buffer_printf(&out, "%#" PRIx64, b->value);
			else if (b->value)
				buffer_printf(&out, "%u+%" PRIu64, b->parameter, b->value);
			else
				buffer_printf(&out, "%u", b->parameter);
		}
		if (w.sets[i].own)
			buffer_puts(&out, " own");
	}
	if (w.all)
		buffer_printf(&out, "all: %s", w.why);
	ptx_writes_release(&w);
	return buffer_text(&out);
}

#define BODY(lines) writes_of(HEAD ENTRY "\t" LOADS lines END)

static void a_store_writes_where_its_address_comes_from(void **state)
{
	(void)state;
	assert_string_equal(BODY("st.global.u32 [%rd3], %r1;\n"), "0");
	assert_string_equal(BODY("ld.global.u32 %r2, [%rd3];\nst.global.u32 [%rd4+16], %r2;\n"),
			    "1");
	assert_string_equal(
		BODY("st.global.u32 [%rd3], %r1;\nst.global.v2.u32 [%rd4], {%r1, %r1};\n"), "0; 1");
	assert_string_equal(BODY("ld.global.u32 %r2, [%rd3];\n"), "");
	/* Generic addresses. */
	assert_string_equal(BODY("st.u32 [%rd2], %r1;\n"), "1");
}

static void an_index_is_no_pointer(void **state)
{
	(void)state;
	assert_string_equal(BODY("mov.u32 %r2, %tid.x;\nmad.lo.s32 %r3, %r2, %r1, "
				 "%r2;\nmul.wide.s32 %rd5, %r3, 4;\n"
				 "add.s64 %rd6, %rd3, %rd5;\nst.global.f32 [%rd6], 0f00000000;\n"),
			    "0 2");
	assert_string_equal(BODY("ld.global.u32 %r2, [%rd4];\nmul.wide.u32 %rd5, %r2, 4;\nadd.s64 "
				 "%rd6, %rd3, %rd5;\n"
				 "st.global.u32 [%rd6], %r1;\n"),
			    "0");
	/* 64 bits from memory: an index when it is multiplied, else it may be a pointer. */
	assert_string_equal(BODY("ld.global.u64 %rd5, [%rd4];\nshl.b64 %rd6, %rd5, 3;\nadd.s64 "
				 "%rd7, %rd3, %rd6;\n"
				 "st.global.u32 [%rd7], %r1;\n"),
			    "0");
	assert_string_equal(BODY("ld.global.u64 %rd5, [%rd4];\nadd.s64 %rd7, %rd3, "
				 "%rd5;\nst.global.u32 [%rd7], %r1;\n"),
			    "all: a write to an address from memory");
	assert_string_equal(BODY("ld.global.u64 %rd5, [%rd4];\nshl.b64 %rd6, %rd5, 16;\nshr.u64 "
				 "%rd7, %rd6, 16;\n"
				 "st.global.u32 [%rd7], %r1;\n"),
			    "all: a write to an address from memory");
	/* A number that was calculated with is none. */
	assert_string_equal(BODY("ld.global.f64 %fd1, [%rd4];\nadd.f64 %fd2, %fd1, "
				 "%fd1;\ncvt.rzi.s64.f64 %rd5, %fd2;\n"
				 "add.s64 %rd6, %rd3, %rd5;\nst.global.u8 [%rd6], %r1;\n"),
			    "0");
}

static void a_pointer_out_of_memory_may_be_any(void **state)
{
	(void)state;
	assert_string_equal(BODY("ld.global.u64 %rd5, [%rd4];\nst.global.u32 [%rd5], %r1;\n"),
			    "all: a write to an address from memory");
	assert_string_equal(BODY("ld.global.v2.u64 {%rd5, %rd6}, [%rd4];\nst.u32 [%rd6+8], %r1;\n"),
			    "all: a write to an address from memory");
	/* Through local and shared memory, too. */
	assert_string_equal(BODY(".local .align 8 .b8 depot[16];\nmov.u64 %rd5, "
				 "depot;\nst.local.u64 [%rd5], %rd3;\n"
				 "ld.local.u64 %rd6, [%rd5];\nst.global.u32 [%rd6], %r1;\n"),
			    "all: a write to an address from memory");
	assert_string_equal(
		BODY("atom.global.exch.b64 %rd5, [%rd4], 0;\nst.global.u32 [%rd5], %r1;\n"),
		"all: a write to an address from memory");
	/* In two halves. */
	assert_string_equal(BODY("ld.global.v2.u32 {%r2, %r3}, [%rd4];\nmov.b64 %rd5, {%r2, "
				 "%r3};\nst.global.u32 [%rd5], %r1;\n"),
			    "all: a write to an address from memory");
	assert_string_equal(BODY("ld.global.u32 %r2, [%rd4];\nld.global.u32 %r3, "
				 "[%rd4+4];\ncvt.u64.u32 %rd5, %r3;\n"
				 "shl.b64 %rd6, %rd5, 32;\ncvt.u64.u32 %rd7, %r2;\nor.b64 %rd8, "
				 "%rd6, %rd7;\nst.global.u32 [%rd8], %r1;\n"),
			    "all: a write to an address from memory");
	assert_string_equal(BODY("ld.global.u64 %rd5, [%rd4];\nmov.b64 {%r2, %r3}, %rd5;\nmov.b64 "
				 "%rd6, {%r2, %r3};\n"
				 "st.global.u32 [%rd6], %r1;\n"),
			    "all: a write to an address from memory");
	assert_string_equal(BODY("ld.global.u64 %rd5, [%rd4];\nst.global.u64 [%rd3], %rd5;\n"),
			    "0");
}

static void a_value_keeps_all_that_it_may_be(void **state)
{
	(void)state;
	assert_string_equal(BODY("selp.b64 %rd5, %rd3, %rd4, %p1;\nst.global.u32 [%rd5], %r1;\n"),
			    "0 1");
	assert_string_equal(BODY("min.u64 %rd5, %rd3, %rd4;\nst.global.u32 [%rd5], %r1;\n"), "0 1");
	assert_string_equal(
		BODY("mov.u64 %rd5, %rd3;\n@%p1 mov.u64 %rd5, %rd4;\nst.global.u32 [%rd5], %r1;\n"),
		"0 1");
	assert_string_equal(BODY("@!%p1 st.global.u32 [%rd4], %r1;\n"), "1");
	/* A loop: the register gets its second value behind the store. */
	assert_string_equal(BODY("mov.u64 %rd5, %rd3;\n$L1:\nst.global.u32 [%rd5], %r1;\nadd.s64 "
				 "%rd5, %rd4, 4;\n@%p1 bra $L1;\n"),
			    "0 1");
	assert_string_equal(BODY("mov.u64 %rd5, %rd3;\n$L1:\nst.global.u32 [%rd5], %r1;\nadd.s64 "
				 "%rd5, %rd5, 4;\n@%p1 bra $L1;\n"),
			    "0");
	/* Taken apart and put together. */
	assert_string_equal(BODY("mov.b64 {%r2, %r3}, %rd3;\nmov.b64 %rd5, {%r2, "
				 "%r3};\nst.global.u32 [%rd5], %r1;\n"),
			    "0");
	assert_string_equal(
		BODY("shfl.sync.idx.b32 %r2|%p2, %r1, 0, 31, -1;\nst.global.u32 [%rd3], %r2;\n"),
		"0");
}

static void memory_of_the_cta_is_no_buffer(void **state)
{
	(void)state;
	assert_string_equal(BODY("st.shared.u32 [%r1], %r1;\nst.local.u32 [%rd5], "
				 "%r1;\nred.shared.add.u32 [%r1], 1;\n"),
			    "");
	assert_string_equal(BODY(".shared .align 4 .b8 s[64];\nmov.u64 %rd5, s;\ncvta.shared.u64 "
				 "%rd6, %rd5;\nst.u32 [%rd6], %r1;\n"),
			    "");
	assert_string_equal(
		BODY(".shared .align 4 .b8 s[64];\nmov.u64 %rd5, s;\ncvta.shared.u64 %rd6, %rd5;\n"
		     "selp.b64 %rd7, %rd6, %rd3, %p1;\nst.u32 [%rd7], %r1;\n"),
		"0 own");
	assert_string_equal(BODY("atom.shared.add.u32 %r2, [%r1], 1;\n"), "");
	/* What the driver has given for grid.sync(). */
	assert_string_equal(
		BODY("mov.u32 %r2, %envreg2;\nmov.u32 %r3, %envreg1;\nmov.b64 %rd5, {%r2, %r3};\n"
		     "atom.add.release.gpu.u32 %r4, [%rd5], %r1;\n"),
		"");
	assert_string_equal(BODY("mov.u32 %r2, %clock;\nmov.b64 %rd5, {%r2, %r2};\nst.global.u32 "
				 "[%rd5], %r1;\n"),
			    "all: a write to an address out of nothing");
}

static void all_that_writes_is_a_write(void **state)
{
	(void)state;
	assert_string_equal(BODY("atom.global.add.u32 %r2, [%rd3], 1;\n"), "0");
	assert_string_equal(BODY("red.global.add.u32 [%rd3], 1;\n"), "0");
	assert_string_equal(BODY("discard.global.L2 [%rd4], 128;\n"), "1");
	assert_string_equal(
		BODY("cp.async.ca.shared.global [%r1], [%rd3], 16;\ncp.async.wait_all;\n"), "");
	assert_string_equal(BODY("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
				 "bytes [%r1], [%rd3], 16, [%r2];\n"),
			    "");
	assert_string_equal(
		BODY("cp.async.bulk.global.shared::cta.bulk_group [%rd3], [%r1], 16;\n"), "0");
	assert_string_equal(BODY("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 "
				 "[%rd4], [%r1], 16;\n"),
			    "1");
	assert_string_equal(BODY("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd4, "
				 "{%r1, %r1}], [%r1];\n"),
			    "all: a copy to a tensor");
	assert_string_equal(BODY("wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%rd3], {%f1, "
				 "%f2}, %r1;\n"),
			    "0");
	assert_string_equal(BODY("wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r2, %r3}, "
				 "[%rd3], %r1;\n"),
			    "");
	assert_string_equal(BODY("sust.b.1d.b32.trap [%rd3, {%r1}], {%r1};\ntex.1d.v4.f32.s32 "
				 "{%f1, %f2, %f3, %f4}, [%rd3, {%r1}];\n"),
			    "");
	assert_string_equal(BODY("multimem.red.global.add.u32 [%rd3], 1;\n"),
			    "all: an instruction that is not known");
}

/* The parameter of each atomic operation whose address is known. */
static const char *atomics_of(const char *text)
{
	static struct buffer out;
	struct ptx_writes w;
	struct error err = ERROR_INIT;

	buffer_clear(&out);
	assert_int_equal(ptx_writes_read(&w, text, strlen(text), "k", &err), 0);
	for (uint32_t i = 0; i < w.n_sets; i++)
		for (uint32_t k = 0; k < w.sets[i].n && w.sets[i].atomic; k++)
			buffer_printf(&out, "%s%u", out.len ? " " : "",
				      w.bases[w.sets[i].first + k].parameter);
	buffer_puts(&out, w.all ? " all" : "");
	ptx_writes_release(&w);
	return buffer_text(&out);
}

#define ATOMICS(lines) atomics_of(HEAD ENTRY "\t" LOADS lines END)

static void atomic_operations_are_told_from_stores(void **state)
{
	(void)state;
	assert_string_equal(
		ATOMICS("st.global.u32 [%rd4], 1;\natom.global.add.u32 %r2, [%rd3], 1;\n"), "0");
	assert_string_equal(ATOMICS("st.global.u32 [%rd3], 1;\nred.global.add.u32 [%rd3], 1;\n"),
			    "0");
	assert_string_equal(ATOMICS("st.global.u32 [%rd3], 1;\nred.shared.add.u32 [%r1], 1;\n"),
			    "");
	assert_string_equal(ATOMICS("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 "
				    "[%rd4], [%r1], 16;\n"),
			    "1");
	/* Beside a write that may be anywhere. */
	assert_string_equal(ATOMICS("ld.global.u64 %rd5, [%rd4];\nst.global.u32 [%rd5], "
				    "%r1;\nred.global.add.u32 [%rd4], 1;\n"),
			    "1 all");
}

static void structs_are_looked_at_by_their_bytes(void **state)
{
	const char *entry = HEAD ".visible .entry k(.param .align 8 .b8 s[24], .param .u64 .ptr "
				 ".global .align 4 q)\n{\n";
	char text[1024];

	(void)state;
	snprintf(text, sizeof(text),
		 "%s\tld.param.u64 %%rd1, [s+16];\n\tst.global.u32 [%%rd1], 1;\n" END, entry);
	assert_string_equal(writes_of(text), "0+16");
	snprintf(text, sizeof(text),
		 "%s\tld.param.v2.u64 {%%rd1, %%rd2}, [s];\n\tst.global.u32 [%%rd2], 1;\n" END,
		 entry);
	assert_string_equal(writes_of(text), "0 0+8");
	snprintf(text, sizeof(text),
		 "%s\tld.param.u64 %%rd1, [q];\n\tst.global.u32 [%%rd1], 1;\n" END, entry);
	assert_string_equal(writes_of(text), "1");
	/* An index into it: all of it. */
	snprintf(text, sizeof(text),
		 "%s\tmov.b64 %%rd1, s;\n\tadd.s64 %%rd2, %%rd1, %%rd9;\n\tld.param.u64 %%rd3, "
		 "[%%rd2];\n"
		 "\tst.global.u32 [%%rd3], 1;\n" END,
		 entry);
	assert_string_equal(writes_of(text), "0 0+8 0+16");
	snprintf(text, sizeof(text),
		 "%s\tmov.b64 %%rd1, s;\n\tcvta.param.u64 %%rd2, %%rd1;\n\tld.u64 %%rd3, [%%rd2];\n"
		 "\tst.global.u32 [%%rd3], 1;\n" END,
		 entry);
	assert_string_equal(writes_of(text), "all: a write to an address from memory");
}

#define CALLEE ".func (.param .b64 r) f(.param .b64 a, .param .b64 b)\n{\n"
#define CALL                                                                                       \
	"\t{\n\t.param .b64 param0;\n\tst.param.b64 [param0], %rd3;\n\t.param .b64 "               \
	"param1;\n\tst.param.b64 [param1], %rd4;\n"                                                \
	"\t.param .b64 retval0;\n\tcall.uni (retval0), f, (param0, param1);\n\tld.param.b64 "      \
	"%rd9, [retval0];\n\t}\n"

static void functions_that_are_called_are_followed(void **state)
{
	(void)state;
	assert_string_equal(writes_of(HEAD CALLEE
				      "\tld.param.u64 %rd1, [b];\n\tst.u32 [%rd1], 1;\n" END ENTRY
				      "\t" LOADS CALL END),
			    "1");
	assert_string_equal(
		writes_of(HEAD CALLEE
			  "\tld.param.u64 %rd1, [a];\n\tst.param.b64 [r], %rd1;\n" END ENTRY
			  "\t" LOADS CALL "\tst.global.u32 [%rd9], 1;\n" END),
		"0");
	assert_string_equal(writes_of(HEAD CALLEE "\tld.param.u64 %rd1, [a];\n\tld.u64 %rd2, "
						  "[%rd1];\n\tst.param.b64 [r], %rd2;\n" END ENTRY
						  "\t" LOADS CALL
						  "\tst.global.u32 [%rd9], 1;\n" END),
			    "all: a write to an address from memory");
	/* A recursion ends; a function that the entry does not call has no part in it. */
	assert_string_equal(writes_of(HEAD CALLEE
				      "\tld.param.u64 %rd3, [a];\n\tld.param.u64 %rd4, [b];\n" CALL
				      "\tst.u32 [%rd4], 1;\n" END
				      ".visible .entry other(.param .u64 z)\n{\n\tld.param.u64 "
				      "%rd1, [z];\n\tst.u32 [%rd1], 1;\n" END ENTRY
				      "\t" LOADS CALL END),
			    "1");
	/* An aggregate argument in parts. */
	assert_string_equal(writes_of(HEAD ".func f(.param .align 8 .b8 a[16])\n{\n\tld.param.u64 "
					   "%rd1, [a+8];\n\tst.u32 [%rd1], 1;\n" END ENTRY
					   "\t" LOADS
					   "\t.param .align 8 .b8 param0[16];\n\tst.param.v2.b64 "
					   "[param0], {%rd3, %rd4};\n"
					   "\tcall.uni f, (param0);\n" END),
			    "0 1");
}

static void what_is_called_may_be_unknown(void **state)
{
	(void)state;
	assert_string_equal(BODY("call (retval0), %rd9, (param0), prototype_0;\n"),
			    "all: a call through a pointer");
	assert_string_equal(writes_of(HEAD ".extern .func other(.param .b64 a);\n" ENTRY "\t" LOADS
					   "call.uni other, (param0);\n" END),
			    "all: a call of a function that is not there");
	assert_string_equal(
		writes_of(HEAD ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 "
			       "b);\n" ENTRY "\t" LOADS "call.uni (retval0), vprintf, (param0, "
			       "param1);\nst.global.u32 [%rd3], 1;\n" END),
		"0");
	/* The device's heap is no session memory. */
	assert_string_equal(
		writes_of(HEAD ".extern .func (.param .b64 r) malloc(.param .b64 a);\n" ENTRY
			       "\t" LOADS ".param .b64 retval0;\ncall.uni (retval0), malloc, "
			       "(param0);\nld.param.b64 %rd9, [retval0];\n"
			       "st.u32 [%rd9], 1;\n" END),
		"");
	assert_string_equal(writes_of(HEAD
				      ".extern .func cudaGraphSetConditional(.param .b64 a, .param "
				      ".b32 b);\n" ENTRY "\t" LOADS
				      ".param .b64 param0;\nst.param.b64 [param0], %rd2;\n"
				      "call.uni cudaGraphSetConditional, (param0, param1);\n" END),
			    "1");
}

static void variables_of_modules_are_addresses(void **state)
{
	(void)state;
	assert_string_equal(BODY("mov.u64 %cgpu_address0, 0x300000000100;\nld.global.u32 %r2, "
				 "[%cgpu_address0];\n"
				 "mov.u64 %cgpu_address0, 0x300000000200;\nst.global.u32 "
				 "[%cgpu_address0+4], %r2;\n"),
			    "0x300000000200");
	assert_string_equal(BODY("mov.u64 %rd5, 0x300000000100;\nmul.wide.u32 %rd6, %r1, "
				 "4;\nadd.s64 %rd7, %rd5, %rd6;\n"
				 "st.global.u32 [%rd7], %r1;\n"),
			    "2 0x300000000100");
	/* Where the driver has put a variable is no matter of the session. */
	assert_string_equal(BODY("st.global.u32 [variable], %r1;\nmov.u64 %rd5, "
				 "table;\nst.global.u32 [%rd5], %r1;\n"),
			    "");
	assert_string_equal(BODY("st.global.u32 [16], %r1;\n"),
			    "all: a write to an address out of nothing");
}

static void text_that_is_not_understood_writes_anything(void **state)
{
	(void)state;
	assert_string_equal(writes_of(HEAD), "all: an entry that is not there");
	assert_string_equal(writes_of(HEAD ".visible .func k()\n{\n" END),
			    "all: an entry that is not there");
	assert_string_equal(BODY("frobnicate.u32 %r1, %r2;\n"),
			    "all: an instruction that is not known");
	assert_string_equal(writes_of(HEAD ENTRY "\tst.global.u32 [%rd1], 1;\n"),
			    "all: text of another form");
	assert_string_equal(writes_of(HEAD ENTRY "\tst.global.u32 [%rd1, 1;\n" END),
			    "all: text of another form");
	/* Notes of the compiler are no instructions. */
	assert_string_equal(BODY(".loc 1 4 3, function_name $L__info_string0, inlined_at 1 9 "
				 "2\nst.global.u32 [%rd3], 1;\n"
				 ".pragma \"nounroll\";\n{ .reg .b64 t; mov.b64 t, %rd4; "
				 "st.global.u32 [t], 1; }\n"),
			    "0; 1");
}

static void opcodes_are_found_by_halving(void **state)
{
	static const char *const opcodes[] = {
#define EFFECT(opcode, effect) #opcode,
#include "runtime/cuda/ptx/ptx-effects.def"
#undef EFFECT
	};

	(void)state;
	for (size_t i = 1; i < sizeof(opcodes) / sizeof(opcodes[0]); i++)
		assert_true(strcmp(opcodes[i - 1], opcodes[i]) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_store_writes_where_its_address_comes_from),
		cmocka_unit_test(an_index_is_no_pointer),
		cmocka_unit_test(a_pointer_out_of_memory_may_be_any),
		cmocka_unit_test(a_value_keeps_all_that_it_may_be),
		cmocka_unit_test(memory_of_the_cta_is_no_buffer),
		cmocka_unit_test(all_that_writes_is_a_write),
		cmocka_unit_test(atomic_operations_are_told_from_stores),
		cmocka_unit_test(structs_are_looked_at_by_their_bytes),
		cmocka_unit_test(functions_that_are_called_are_followed),
		cmocka_unit_test(what_is_called_may_be_unknown),
		cmocka_unit_test(variables_of_modules_are_addresses),
		cmocka_unit_test(text_that_is_not_understood_writes_anything),
		cmocka_unit_test(opcodes_are_found_by_halving),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
