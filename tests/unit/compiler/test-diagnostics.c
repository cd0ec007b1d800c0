/* SPDX-License-Identifier: Apache-2.0 */
/* compiler/diagnostics: what NVRTC and nvcc say. Clang's words are tested by tests/cells. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/base/buffer.h"
#include "compiler/frontend/compile.h"
#include "compiler/frontend/diagnostics.h"

/* How many errors there were is nothing to the user; a long name of the file goes on in the next
 * line. */
static void what_the_device_compiler_sums_up_is_left_out(void **state)
{
	static const char cell[] = "\nint main() { foo(); }";
	static const char log[] =
		"In[5](2): error: identifier \"foo\" is undefined\n  int main() { foo(); }\n       "
		"        ^\n\n"
		"1 error detected in the compilation of \"/tmp/a-long-folder/In[5].\ncu\".\n";
	struct diagnostics d;

	(void)state;
	diagnostics_init(&d, &(struct compile_request){ .cell_name = "In[5]" }, cell);
	diagnostics_add_nvcc(&d, log);
	assert_string_equal(buffer_text(&d.errors),
			    "In[5]:2: error: identifier \"foo\" is undefined\n"
			    "  int main() { foo(); }\n               ^\n");
	diagnostics_release(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(
		what_the_device_compiler_sums_up_is_left_out) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
