/* SPDX-License-Identifier: Apache-2.0 */
/* struct listing, struct resources, struct occupancy: device code as NVIDIA's programs write it,
 * read and shown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/buffer.h"
#include "compiler/inspect/listing.h"
#include "compiler/inspect/occupancy.h"
#include "compiler/inspect/resources.h"

static const char ptx[] =
	".version 9.0\n.target sm_75\n.address_size 64\n\n"
	".extern .func  (.param .b32 func_retval0) vprintf\n(\n\t.param .b64 "
	"vprintf_param_0\n)\n;\n"
	".global .align 4 .u32 counter;\n"
	".visible .func  (.param .b32 func_retval0) _Z5twicef(\n\t.param .b32 "
	"_Z5twicef_param_0\n)\n{\n"
	"\t.reg .f32 \t%f<3>;\n\t.loc\t1 2 0\n\tld.param.f32 \t%f1, "
	"[_Z5twicef_param_0];\n\tret;\n}\n"
	".visible .entry scale(\n\t.param .u64 scale_param_0\n)\n.maxntid 256, 1, 1\n{\n"
	"\t.reg .pred \t%p<3>;\n\t.reg .b32 \t%r<5>;\n\t.reg .b64 \t%rd<4>;\n\t.reg .b16 "
	"\t%rs<2>;\n"
	"\t.shared .align 4 .b8 tile[256];\n\t.local .align 8 .b8 \t__local_depot0[40];\n"
	"\t.loc\t1 5 3\n\t@%p1 bra \t$L__BB1_2;\n\n\t.loc\t2 107 3, function_name "
	"$L__info_string0, inlined_at 1 5 9\n"
	"\tatom.global.add.u32 \t%r1, [%rd1], 1;\n\t{ // callseq 0, 0\n\t.param .b32 param0;\n"
	"\tcall.uni (retval0), \n\t_Z5twicef, \n\t(\n\tparam0\n\t);\n\t}\n"
	"$L__BB1_2:\n\t.loc\t1 6 1\n\tret;\n}\n"
	"\t.file\t1 \"/home/me/In[3]\"\n\t.file\t2 \"/usr/include/atomic.hpp\"\n"
	"\t.section\t.debug_str\n\t{\n$L__info_string0:\n.b8 95\n\t}\n";

static const struct listing_source source = {
	"In[3]", "\n__device__ float twice(float x)\n\n\n\tif (x < 1 && \"y\")\n}\n"
};

static void test_ptx_beside_its_source(void **state)
{
	cleanup_buffer struct buffer text = BUFFER_INIT, html = BUFFER_INIT;
	struct listing l;

	(void)state;
	listing_init(&l, &source, 1);
	assert_int_equal(listing_read_ptx(&l, ptx, strlen(ptx), NULL), 0);
	assert_int_equal(listing_count(&l, ""), 2);
	assert_int_equal(listing_count(&l, "twice"), 1);
	assert_int_equal(listing_count(&l, "_Z5twicef"), 1);
	assert_int_equal(listing_count(&l, "vprintf"), 0);
	listing_text(&l, "scale", &text);
	assert_string_equal(
		buffer_text(&text),
		"// scale: entry, 4 instructions\n"
		".visible .entry scale(\n.param .u64 scale_param_0\n)\n.maxntid 256, 1, 1\n{\n"
		".reg .pred %p<3>;\n.reg .b32 %r<5>;\n.reg .b64 %rd<4>;\n.reg .b16 %rs<2>;\n"
		".shared .align 4 .b8 tile[256];\n.local .align 8 .b8 __local_depot0[40];\n"
		"    // In[3]:5  if (x < 1 && \"y\")\n"
		"        @%p1 bra $L__BB1_2;\n"
		"    // atomic.hpp:107 (inlined in In[3]:5)\n"
		"        atom.global.add.u32 %r1, [%rd1], 1;\n"
		"{ // callseq 0, 0\n.param .b32 param0;\n"
		"        call.uni (retval0),\n        _Z5twicef,\n        (\n        param0\n      "
		"  );\n}\n"
		"$L__BB1_2:\n    // In[3]:6  }\n        ret;\n}\n\n");
	listing_html(&l, "", &html);
	assert_non_null(strstr(buffer_text(&html),
			       "In[3]:5  if (x &lt; 1 &amp;&amp; &quot;y&quot;)</span>"));
	assert_non_null(
		strstr(buffer_text(&html),
		       "<summary><code>twice(float)</code> device function, 2 instructions"));
	assert_non_null(strstr(buffer_text(&html), ".global .align 4 .u32 counter;"));
	assert_null(strstr(buffer_text(&html), "debug_str"));
	listing_release(&l);
}

static void test_ptx_that_is_cut_off(void **state)
{
	(void)state;
	for (size_t len = 0; len < sizeof(ptx); len++) {
		cleanup_buffer struct buffer text = BUFFER_INIT;
		struct listing l;

		listing_init(&l, &source, 1);
		assert_int_equal(listing_read_ptx(&l, ptx, len, NULL), 0);
		listing_text(&l, "", &text);
		listing_release(&l);
	}
}

static void test_machine_code(void **state)
{
	static const char sass[] = "\t.headerflags\t@\"EF_CUDA_TEXMODE_UNIFIED\"\n"
				   "\t.section\t.text.scale,\"ax\",@progbits\n\t.align\t128\n"
				   "scale:\n.text.scale:\n\t//## File \"/home/me/In[3]\", line 5\n"
				   "        /*0000*/                   MOV R1, c[0x0][0x28] ;\n"
				   "\t//## File \"/usr/include/atomic.hpp\", line 107 inlined at "
				   "\"/home/me/In[3]\", line 5\n"
				   "\t//## File \"/home/me/In[3]\", line 5\n"
				   "        /*0010*/              @!P0 EXIT ;\n"
				   ".L_x_0:\n        /*0020*/                   BRA `(.L_x_0);\n"
				   "        /*0030*/                   NOP;\n        /*0040*/      "
				   "             NOP;\n.L_x_1:\n";
	cleanup_buffer struct buffer text = BUFFER_INIT;
	struct listing l;

	(void)state;
	listing_init(&l, &source, 1);
	assert_int_equal(listing_read_sass(&l, sass, strlen(sass), NULL), 0);
	listing_text(&l, "scale", &text);
	assert_string_equal(buffer_text(&text),
			    "// scale: entry, 3 instructions\n"
			    "    // In[3]:5  if (x < 1 && \"y\")\n"
			    "        /*0000*/        MOV R1, c[0x0][0x28] ;\n"
			    "    // atomic.hpp:107 (inlined in In[3]:5)\n"
			    "        /*0010*/   @!P0 EXIT ;\n"
			    ".L_x_0:\n        /*0020*/        BRA `(.L_x_0);\n\n");
	listing_release(&l);
}

static void test_what_entries_need(void **state)
{
	static const char said[] =
		"ptxas info    : 4 bytes gmem\n"
		"ptxas info    : Compiling entry function 'scale' for 'sm_75'\n"
		"ptxas info    : Function properties for scale\n"
		"    40 bytes stack frame, 12 bytes spill stores, 8 bytes spill loads\n"
		"ptxas info    : Used 40 registers, used 1 barriers, 256 bytes smem, 360 bytes "
		"cmem[0], 8 bytes cmem[2]\n"
		"ptxas info    : Function properties for _Z5twicef\n"
		"    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n";
	const struct resources_view view = { .sm = 75, .problem = "" };
	cleanup_buffer struct buffer text = BUFFER_INIT;
	struct resources_list r = { 0 };
	struct mem_pool pool = MEM_POOL_INIT;
	struct listing l;

	(void)state;
	listing_init(&l, NULL, 0);
	assert_int_equal(listing_read_ptx(&l, ptx, strlen(ptx), NULL), 0);
	resources_add(&r, &l, "", "In[3]", &pool);
	resources_add(&r, &l, "", "In[2]", &pool);
	assert_int_equal(r.n, 1);
	assert_int_equal(r.at[0].predicates, 2);
	assert_int_equal(r.at[0].virtual, 4 + 2 * 3 + 1);
	assert_int_equal(r.at[0].shared, 256);
	assert_int_equal(r.at[0].local, 40);
	assert_int_equal(r.at[0].max_threads, 256);
	assert_false(r.at[0].assembled);
	resources_read_log(&r, said);
	assert_true(r.at[0].assembled);
	assert_int_equal(r.at[0].registers, 40);
	assert_int_equal(r.at[0].stack, 40);
	assert_int_equal(r.at[0].spill_stores, 12);
	assert_int_equal(r.at[0].spill_loads, 8);
	assert_int_equal(r.at[0].assembled_shared, 256);
	assert_int_equal(r.at[0].constant, 368);
	resources_text(&r, &view, &text);
	assert_non_null(strstr(buffer_text(&text), "blocks of  256:  4 blocks an SM, 32 of 32 "
						   "warps, occupancy 100 %, limited by warps"));
	assert_null(strstr(buffer_text(&text), "blocks of  512"));
	resources_release(&r);
	mem_pool_release(&pool);
	listing_release(&l);
}

/* The figures of NVIDIA's occupancy calculator. */
static void test_occupancy(void **state)
{
	static const struct {
		uint32_t sm, threads, registers, shared, blocks;
		const char *limit;
	} rows[] = {
		{ 75, 32, 16, 0, 16, "blocks" },         { 75, 1024, 64, 0, 1, "warps" },
		{ 75, 256, 255, 0, 1, "registers" },     { 75, 128, 16, 20000, 3, "shared memory" },
		{ 80, 256, 40, 0, 6, "registers" },      { 80, 256, 32, 0, 8, "warps" },
		{ 80, 64, 32, 0, 32, "blocks" },         { 86, 256, 32, 0, 6, "warps" },
		{ 90, 128, 168, 49152, 3, "registers" }, { 90, 128, 32, 49152, 4, "shared memory" },
		{ 80, 256, 0, 0, 8, "warps" },
	};
	struct occupancy o;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(occupancy_of(rows[i].sm, rows[i].threads, rows[i].registers,
					      rows[i].shared, &o),
				 0);
		if (o.blocks != rows[i].blocks || strcmp(o.limit, rows[i].limit))
			fail_msg("row %zu: %u blocks, limited by %s", i, o.blocks, o.limit);
	}
	assert_int_equal(occupancy_of(61, 128, 32, 0, &o), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ptx_beside_its_source),
		cmocka_unit_test(test_ptx_that_is_cut_off),
		cmocka_unit_test(test_machine_code),
		cmocka_unit_test(test_what_entries_need),
		cmocka_unit_test(test_occupancy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
