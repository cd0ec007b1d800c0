/* SPDX-License-Identifier: Apache-2.0 */
/* launch_profile_decode() and the tables of it: what a worker says its CUDA kernels have counted.
 */
#include <string.h>

#include "common/base/buffer.h"
#include "kernel/views/profile-table.h"
#include "tests/fuzz/fuzz.h"

static char cell_text[] = "int a;\n__global__ void k() {\n\ta++;\n}\n";

static const char *text_of(void *data, const char *file)
{
	(void)data;
	return strcmp(file, "In[3]") ? NULL : cell_text;
}

static const struct profile_sources sources = { text_of, NULL };

static bool one(const uint8_t *data, size_t size)
{
	cleanup_buffer struct buffer out = BUFFER_INIT;
	struct launch_profile p;
	struct profile_table t;

	if (launch_profile_decode(data, size, &p, NULL))
		return false;
	for (uint32_t i = 0; i < p.n_kernels; i++) {
		if (profile_table_init(&t, &p, i, &sources, NULL))
			continue;
		profile_table_text(&t, &out);
		profile_table_html(&t, &out);
		profile_table_release(&t);
	}
	launch_profile_release(&p);
	return true;
}

static bool seed(unsigned i, struct buffer *to)
{
	struct profile_kernel kernels[] = { { .name = "k<a>",
					      .launches = 2,
					      .grid = { 4, 1, 1 },
					      .block = { 64, 1, 1 },
					      .nanoseconds = 1500000,
					      .total = { .executed = 100, .lanes = 2400 },
					      .mix = { [INSTRUCTION_FP32] = 25 } } };
	struct profile_line lines[] = { { .kernel = 0,
					  .line = 3,
					  .file = "In[3]",
					  .function = "k",
					  .counts = { .executed = 25, .lanes = 800 } },
					{ .kernel = 0,
					  .line = 900,
					  .file = "some/header.cuh",
					  .function = "f",
					  .counts = { .executed = 75, .global_requests = 3 } } };
	struct profile_span spans[] = { { SPAN_LAUNCH, 0, "k", 0, 500, 0 },
					{ SPAN_COPY, 2, "d_x", 100, 900, 4096 } };
	struct launch_profile p = { .kernels = kernels,
				    .n_kernels = i,
				    .lines = lines,
				    .n_lines = i * 2,
				    .spans = spans,
				    .n_spans = i * 2 };

	if (i > 1)
		return false;
	launch_profile_encode(&p, to);
	return true;
}

const struct fuzz_target fuzz_profile = { one, seed, 20000 };
