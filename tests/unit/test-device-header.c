/* SPDX-License-Identifier: Apache-2.0 */
/* Which of the toolkit's headers a text needs, which directives are precompiled, and which of the made headers are kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/cleanup.h"
#include "compiler/device-header.h"

static void assert_lean(const char *text, const char *expected)
{
	cleanup_buffer struct buffer lean = BUFFER_INIT;

	assert_int_equal(device_header_lean(text, "In[9]", &lean), strcmp(text, expected) != 0);
	assert_string_equal(buffer_text(&lean), expected);
}

static void leaves_out_headers_of_which_no_word_is_said(void **state)
{
	(void)state;
	assert_lean("#include <cub/cub.cuh>\n#include <my.cuh>\nint x;\n", "\n#include <my.cuh>\nint x;\n");
	assert_lean("#include <cub/cub.cuh>\ncub::X x;\n", "#include <cub/cub.cuh>\ncub::X x;\n");
	assert_lean("#include <cub/cub.cuh>\nint cube;\n", "\nint cube;\n");
	assert_lean("#include <cuda/barrier>\n#line 3 \"cuda\"\ncudaError_t e;\n", "\n#line 3 \"cuda\"\ncudaError_t e;\n");
	assert_lean("#line 1 \"In[1]\"\n#include <cub/a.cuh>\n#line 1 \"In[9]\"\n#include <cub/b.cuh>\n",
		    "#line 1 \"In[1]\"\n\n#line 1 \"In[9]\"\n#include <cub/b.cuh>\n");
	assert_lean("#include <curand_kernel.h>\ncurandState s;\n", "#include <curand_kernel.h>\ncurandState s;\n");
}

static void assert_found(const char *text, const char *expected)
{
	cleanup_buffer struct buffer found = BUFFER_INIT;

	device_header_find(text, &found);
	assert_string_equal(buffer_text(&found), expected);
}

static void finds_the_directives_up_to_the_last_large_header(void **state)
{
	(void)state;
	assert_found("#line 1 \"cgpu\"\n#define M_PI 3\n#line 4 \"In[1]\"\n#define A 1\\\n + 1\n#include <cub/x.cuh>\n#define B 2\n",
		     "#define A 1\\\n + 1\n#include <cub/x.cuh>\n");
	assert_found("#line 1 \"In[1]\"\n#include <my.h>\nint x;\n", "");
	assert_found("#line 1 \"In[1]\"\nint x;\n#include <thrust/x.h>\n", "#include <thrust/x.h>\n");
	assert_found("#line 1 \"In[1]\"\n#include <cub/a.cuh>\n#if 0\n#include <cub/b.cuh>\n#endif\n", "#include <cub/a.cuh>\n");
	assert_found("#line 1 \"In[1]\"\n#define A 1\n#undef A\n#include <cub/b.cuh>\n", "");
}

static void put(struct device_headers *h, const char *key, bool with_file)
{
	char path[] = "/tmp/test-device-header-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	if (!with_file)
		unlink(path);
	device_headers_put(h, key, path);
	assert_int_equal(access(path, F_OK), -1);
}

static void keeps_the_headers_that_were_used_last(void **state)
{
	struct device_headers h = { .n = 0 };

	(void)state;
	put(&h, "a", true);
	put(&h, "b", false);
	assert_true(device_headers_get(&h, "a")->fd >= 0);
	assert_int_equal(device_headers_get(&h, "b")->fd, -1);
	device_headers_get(&h, "a");
	put(&h, "c", true);
	assert_non_null(device_headers_get(&h, "a"));
	assert_null(device_headers_get(&h, "b"));
	device_headers_drop(&h, device_headers_get(&h, "a"));
	assert_null(device_headers_get(&h, "a"));
	assert_non_null(device_headers_get(&h, "c"));
	device_headers_release(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(leaves_out_headers_of_which_no_word_is_said),
		cmocka_unit_test(finds_the_directives_up_to_the_last_large_header),
		cmocka_unit_test(keeps_the_headers_that_were_used_last),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
