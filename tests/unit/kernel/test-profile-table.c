/* SPDX-License-Identifier: Apache-2.0 */
/* profile-table.c and what shows it: rows in the order of the source, gaps, columns that say
 * something, shares. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/buffer.h"
#include "kernel/views/profile-table.h"
#include "kernel/views/profile-timeline.h"

static char cell_text[] = "        \nint a;\nk<a && b>;\n\"c\"\nd\ne\nf\ng";

/* The one cell is In[3]. */
static const char *text_of(void *data, const char *file)
{
	(void)data;
	return strcmp(file, "In[3]") ? NULL : cell_text;
}

static const struct profile_sources sources = { text_of, NULL };

static struct profile_kernel kernel = {
	.name = "k<a>",
	.launches = 2,
	.grid = { 4, 1, 1 },
	.block = { 64, 1, 1 },
	.nanoseconds = 1500000,
	.total = { .executed = 100,
		   .lanes = 2400,
		   .global_requests = 10,
		   .global_sectors = 320,
		   .global_ideal = 40,
		   .global_bytes = 1280,
		   .flops = 640 },
	.mix = { [INSTRUCTION_FP32] = 25, [INSTRUCTION_INTEGER] = 75 },
};

static struct profile_line lines[] = {
	{ .kernel = 0,
	  .line = 7,
	  .file = "In[3]",
	  .function = "k",
	  .counts = { .executed = 25, .lanes = 800, .flops = 640 } },
	{ .kernel = 0,
	  .line = 3,
	  .file = "In[3]",
	  .function = "k",
	  .counts = { .executed = 74,
		      .lanes = 1184,
		      .global_requests = 10,
		      .global_sectors = 320,
		      .global_ideal = 40 } },
	{ .kernel = 0,
	  .line = 0,
	  .file = "",
	  .function = "k",
	  .counts = { .executed = 1, .lanes = 32 } },
};

static const struct launch_profile profile = {
	.kernels = &kernel, .n_kernels = 1, .lines = lines, .n_lines = 3
};

static void lines_stand_beside_their_source(void **state)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;
	struct profile_table t;

	(void)state;
	assert_int_equal(profile_table_init(&t, &profile, 0, &sources, NULL), 0);
	profile_table_text(&t, &text);
	assert_string_equal(
		buffer_text(&text),
		"k<a>: 2 launches, the last one of (4,1,1) blocks of (64,1,1) threads; 1.500 ms on "
		"the emulated device, which says nothing of a GPU's time\n"
		"100 warp instructions, 24.0 of 32 lanes active, 0 branches parted their lanes\n"
		"global memory: 1280 bytes asked for in 10 requests, 10240 bytes moved in sectors "
		"of 32: 12 % of them of use\n"
		"arithmetic: 640 floating-point operations, 0.06 for each byte of global memory\n"
		"mix: fp32 25 %, integer 75 %\n"
		" line   share  instructions  lanes  flops  global     sectors  |\n"
		"code without lines of source\n"
		"    0   1.0 %             1   32.0                             | \n"
		"In[3]\n"
		"    2                                                          | int a;\n"
		"    3  74.0 %            74   16.0             10  32.0 (4.0)  | k<a && b>;\n"
		"    4                                                          | \"c\"\n"
		"     ...\n"
		"    6                                                          | e\n"
		"    7  25.0 %            25   32.0    640                      | f\n"
		"    8                                                          | g\n");
	profile_table_release(&t);
}

static void html_shows_what_is_hot_and_what_is_bad(void **state)
{
	cleanup_buffer struct buffer html = BUFFER_INIT;
	struct profile_table t;

	(void)state;
	assert_int_equal(profile_table_init(&t, &profile, 0, &sources, NULL), 0);
	profile_table_html(&t, &html);
	assert_non_null(strstr(buffer_text(&html), "<code>k&lt;a&gt;</code>"));
	assert_non_null(strstr(buffer_text(&html),
			       "background:rgba(234,67,53,0.65)\">k&lt;a &amp;&amp; b&gt;;</td>"));
	assert_non_null(strstr(buffer_text(&html),
			       "<td style=\"background:rgba(251,188,4,.35)\">32.0 (4.0)</td>"));
	assert_non_null(strstr(buffer_text(&html), "&quot;c&quot;"));
	assert_null(strstr(buffer_text(&html), "passes"));
	profile_table_release(&t);
}

static void a_chart_has_every_span(void **state)
{
	struct profile_span spans[] = {
		{ .kind = SPAN_COPY,
		  .name = "copy to the device",
		  .begin_ns = 1000000,
		  .end_ns = 1500000,
		  .bytes = 64 },
		{ .kind = SPAN_LAUNCH,
		  .stream = 2,
		  .name = "k",
		  .begin_ns = 2000000,
		  .end_ns = 4000000 },
	};
	const struct launch_profile p = { .spans = spans, .n_spans = 2, .spans_left_out = 7 };
	cleanup_buffer struct buffer text = BUFFER_INIT;
	json_t *chart = profile_timeline(&p, "the device"), *values;

	(void)state;
	assert_non_null(chart);
	values = json_object_get(json_object_get(chart, "data"), "values");
	assert_int_equal(json_array_size(values), 2);
	assert_string_equal(json_string_value(json_object_get(json_array_get(values, 0), "stream")),
			    "default");
	assert_string_equal(json_string_value(json_object_get(json_array_get(values, 1), "stream")),
			    "stream 2");
	assert_true(json_real_value(json_object_get(json_array_get(values, 1), "ms")) == 2.0);
	json_decref(chart);
	profile_timeline_text(&p, "the device", &text);
	assert_string_equal(
		buffer_text(&text),
		"What streams did, in ms on the device:\n"
		"     1.000 to      1.500  default    copy          copy to the device, 64 bytes\n"
		"     2.000 to      4.000  stream 2   launch        k\n"
		"and 7 more\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_stand_beside_their_source),
		cmocka_unit_test(html_shows_what_is_hot_and_what_is_bad),
		cmocka_unit_test(a_chart_has_every_span),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
