/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/cuda/ptx/ptx-condition: the declaration of cudaGraphSetConditional() and its calls in PTX
 * as nvcc writes them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/buffer.h"
#include "runtime/cuda/ptx/ptx-condition.h"

static const char text[] = ".version 9.0\n.target sm_75\n"
			   ".extern .func cudaGraphSetConditional\n"
			   "(\n\t.param .b64 cudaGraphSetConditional_param_0,\n\t.param .b32 "
			   "cudaGraphSetConditional_param_1\n)\n;\n"
			   ".visible .entry k()\n{\n\tcall.uni \n\tcudaGraphSetConditional, "
			   "\n\t(\n\tparam0, \n\tparam1\n\t);\n\tret;\n}\n";

static void the_declaration_becomes_a_function_and_calls_go_to_it(void **state)
{
	struct buffer out = BUFFER_INIT;
	const char *function;

	(void)state;
	assert_true(ptx_condition_rewrite(text, &out));
	assert_null(strstr(buffer_text(&out), "cudaGraphSetConditional"));
	function =
		strstr(buffer_text(&out), ".target sm_75\n.func cgpu_graph_set_conditional(.param "
					  ".b64 handle, .param .b32 value)\n{");
	assert_non_null(function);
	assert_non_null(strstr(function, "st.u32 [%rd], %r;"));
	assert_non_null(strstr(
		function, "}\n\n.visible .entry k()\n{\n\tcall.uni \n\tcgpu_graph_set_conditional, "
			  "\n\t(\n\tparam0, \n\tparam1\n\t);\n\tret;\n}\n"));
	buffer_release(&out);
}

static void other_code_is_left_alone(void **state)
{
	struct buffer out = BUFFER_INIT;

	(void)state;
	assert_false(
		ptx_condition_rewrite(".version 9.0\n.visible .entry k()\n{\n\tret;\n}\n", &out));
	assert_int_equal(out.len, 0);
	/* A longer name is another one. */
	assert_true(ptx_condition_rewrite("call cudaGraphSetConditionally, ();", &out));
	assert_string_equal(buffer_text(&out), "call cudaGraphSetConditionally, ();");
	buffer_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_declaration_becomes_a_function_and_calls_go_to_it),
		cmocka_unit_test(other_code_is_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
