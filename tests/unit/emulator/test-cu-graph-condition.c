/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs of the emulated driver: conditional nodes, whose conditions device code sets, and user
 * objects. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/emulator.h"

/* step(p, by, handle): *p += by, and that is the condition's value, if there is a handle. */
static const char source[] =
	".version 7.0\n.target sm_70\n.address_size 64\n"
	".extern .func cudaGraphSetConditional(.param .b64 h, .param .b32 v);\n"
	".visible .entry step(.param .u64 p, .param .u32 by, .param .u64 handle)\n"
	"{\n"
	"	.reg .b64 %p<3>;\n	.reg .b32 %v<3>;\n	.reg .pred %q;\n"
	"	ld.param.u64 %p1, [p];\n	ld.param.u32 %v1, [by];\n	ld.param.u64 %p2, "
	"[handle];\n"
	"	ld.global.u32 %v2, [%p1];\n	add.u32 %v2, %v2, %v1;\n	st.global.u32 "
	"[%p1], %v2;\n"
	"	setp.eq.u64 %q, %p2, 0;\n	@%q bra done;\n"
	"	{\n	.param .b64 h;\n	.param .b32 v;\n	st.param.b64 [h], "
	"%p2;\n	st.param.b32 [v], %v2;\n"
	"	call.uni cudaGraphSetConditional, (h, v);\n	}\n"
	"done:\n	ret;\n"
	"}\n";

static CUfunction step;
static CUdeviceptr memory; /* of four ints */
static CUstream stream;
static CUgraph graph;

static int setup(void **state)
{
	(void)state;
	return EMU(cuStreamCreate)(&stream, CU_STREAM_NON_BLOCKING) ||
	       EMU(cuMemAlloc)(&memory, 16) || EMU(cuMemsetD32)(memory, 0, 4) ||
	       EMU(cuGraphCreate)(&graph, 0);
}

static int teardown(void **state)
{
	(void)state;
	return EMU(cuGraphDestroy)(graph) || EMU(cuMemFree)(memory) || EMU(cuStreamDestroy)(stream);
}

static int value_at(unsigned i)
{
	int v = -1;

	assert_int_equal(EMU(cuMemcpyDtoH)(&v, memory + 4 * i, sizeof(v)), 0);
	return v;
}

/* Behind `on`, NULL: nothing. handle 0: no condition is set. */
static CUgraphNode add_step(CUgraph g, CUgraphNode on, unsigned i, int by,
			    CUgraphConditionalHandle handle)
{
	CUdeviceptr at = memory + 4 * i;
	void *args[] = { &at, &by, &handle };
	CUDA_KERNEL_NODE_PARAMS params = { .func = step,
					   .gridDimX = 1,
					   .gridDimY = 1,
					   .gridDimZ = 1,
					   .blockDimX = 1,
					   .blockDimY = 1,
					   .blockDimZ = 1,
					   .kernelParams = args };
	CUgraphNode node;

	assert_int_equal(EMU(cuGraphAddKernelNode)(&node, g, &on, on ? 1 : 0, &params), 0);
	return node;
}

static CUgraphConditionalHandle new_handle(unsigned preset, unsigned flags)
{
	CUgraphConditionalHandle handle = 0;

	assert_int_equal(EMU(cuGraphConditionalHandleCreate)(&handle, graph, NULL, preset, flags),
			 0);
	return handle;
}

static CUgraph *add_conditional(CUgraph g, CUgraphNode on, CUgraphConditionalHandle handle,
				CUgraphConditionalNodeType type, unsigned size)
{
	CUgraphNodeParams params = { .type = CU_GRAPH_NODE_TYPE_CONDITIONAL,
				     .conditional = {
					     .handle = handle, .type = type, .size = size } };
	CUgraphNode node;

	assert_int_equal(EMU(cuGraphAddNode)(&node, g, &on, NULL, on ? 1 : 0, &params), 0);
	return params.conditional.phGraph_out;
}

static CUgraphExec instantiate(void)
{
	CUgraphExec exec;

	assert_int_equal(EMU(cuGraphInstantiate)(&exec, graph, 0), 0);
	return exec;
}

static void launch(CUgraphExec exec)
{
	assert_int_equal(EMU(cuGraphLaunch)(exec, stream), 0);
	assert_int_equal(EMU(cuStreamSynchronize)(stream), 0);
}

static void a_body_runs_while_its_condition_holds(void **state)
{
	CUgraphConditionalHandle handle = new_handle(1, CU_GRAPH_COND_ASSIGN_DEFAULT);
	CUgraph body = *add_conditional(graph, NULL, handle, CU_GRAPH_COND_TYPE_WHILE, 1);
	CUgraphExec exec;

	(void)state;
	add_step(body, add_step(body, NULL, 1, 1, 0), 0, -1, handle);
	exec = instantiate();
	assert_int_equal(EMU(cuMemsetD32)(memory, 10, 1), 0);
	launch(exec);
	assert_int_equal(value_at(0), 0);
	assert_int_equal(value_at(1), 10);
	/* The condition is as it was given at the start of each launch. */
	assert_int_equal(EMU(cuMemsetD32)(memory, 3, 1), 0);
	launch(exec);
	assert_int_equal(value_at(1), 13);
	assert_int_equal(EMU(cuGraphExecDestroy)(exec), 0);
}

static void one_of_several_bodies_runs(void **state)
{
	CUgraphConditionalHandle which = new_handle(0, 0), whether = new_handle(0, 0);
	CUgraphNode first = add_step(graph, NULL, 0, 1, which),
		    second = add_step(graph, first, 1, 1, whether);
	CUgraph *choice = add_conditional(graph, second, which, CU_GRAPH_COND_TYPE_SWITCH, 3);
	CUgraph *either = add_conditional(graph, second, whether, CU_GRAPH_COND_TYPE_IF, 2);
	CUgraphExec exec;

	(void)state;
	for (int i = 0; i < 3; i++)
		add_step(choice[i], NULL, 2, 1 << (4 * i), 0);
	add_step(either[0], NULL, 3, 1, 0);
	add_step(either[1], NULL, 3, 100, 0);
	exec = instantiate();
	assert_int_equal(EMU(cuMemsetD32)(memory + 4, -2u, 1), 0);
	launch(exec); /* 1, -1 */
	assert_int_equal(value_at(2), 0x10);
	assert_int_equal(value_at(3), 1);
	launch(exec); /* 2, 0 */
	assert_int_equal(value_at(2), 0x110);
	assert_int_equal(value_at(3), 101);
	launch(exec); /* 3: no body; 1 */
	assert_int_equal(value_at(2), 0x110);
	assert_int_equal(value_at(3), 102);
	assert_int_equal(EMU(cuGraphExecDestroy)(exec), 0);
}

static void bodies_have_conditional_nodes(void **state)
{
	CUgraphConditionalHandle outer = new_handle(1, CU_GRAPH_COND_ASSIGN_DEFAULT),
				 inner = new_handle(0, 0);
	CUgraph body = *add_conditional(graph, NULL, outer, CU_GRAPH_COND_TYPE_WHILE, 1);
	CUgraphNode down = add_step(body, NULL, 0, -1, outer),
		    count = add_step(body, down, 1, 1, inner);
	CUgraph deep = *add_conditional(body, count, inner, CU_GRAPH_COND_TYPE_IF, 1);
	CUgraphExec exec;

	(void)state;
	add_step(deep, NULL, 2, 1, 0);
	exec = instantiate();
	assert_int_equal(EMU(cuMemsetD32)(memory, 4, 1), 0);
	assert_int_equal(EMU(cuMemsetD32)(memory + 4, -2u, 1), 0);
	launch(exec); /* -1, 0, 1, 2 */
	assert_int_equal(value_at(1), 2);
	assert_int_equal(value_at(2), 3);
	/* The graph goes, what runs has its own. */
	assert_int_equal(EMU(cuGraphDestroy)(graph), 0);
	assert_int_equal(EMU(cuGraphCreate)(&graph, 0), 0);
	assert_int_equal(EMU(cuMemsetD32)(memory, 1, 1), 0);
	launch(exec);
	assert_int_equal(value_at(2), 4);
	assert_int_equal(EMU(cuGraphExecDestroy)(exec), 0);
}

static void an_executable_graph_takes_other_bodies(void **state)
{
	CUgraphConditionalHandle handle = new_handle(1, CU_GRAPH_COND_ASSIGN_DEFAULT), other_handle;
	CUgraph other, body = *add_conditional(graph, NULL, handle, CU_GRAPH_COND_TYPE_IF, 1);
	CUgraphExecUpdateResultInfo info;
	CUgraphExec exec;

	(void)state;
	add_step(body, NULL, 0, 1, 0);
	exec = instantiate();
	assert_int_equal(EMU(cuGraphCreate)(&other, 0), 0);
	assert_int_equal(EMU(cuGraphConditionalHandleCreate)(&other_handle, other, NULL, 1,
							     CU_GRAPH_COND_ASSIGN_DEFAULT),
			 0);
	body = *add_conditional(other, NULL, other_handle, CU_GRAPH_COND_TYPE_IF, 1);
	add_step(body, NULL, 0, 50, 0);
	assert_int_equal(EMU(cuGraphExecUpdate)(exec, other, &info), 0);
	assert_int_equal(EMU(cuGraphDestroy)(other), 0);
	launch(exec);
	assert_int_equal(value_at(0), 50);
	assert_int_equal(EMU(cuGraphExecDestroy)(exec), 0);
}

static void ignore(void *data)
{
	(void)data;
}

static void what_conditional_nodes_may_not(void **state)
{
	CUgraphConditionalHandle handle = new_handle(0, 0);
	CUgraphNodeParams wrong = {
		.type = CU_GRAPH_NODE_TYPE_CONDITIONAL,
		.conditional = { .handle = handle, .type = CU_GRAPH_COND_TYPE_WHILE, .size = 2 }
	};
	CUDA_HOST_NODE_PARAMS host = { .fn = ignore };
	CUDA_GRAPH_INSTANTIATE_PARAMS how = { 0 };
	CUgraphNode node, call;
	CUgraphExec exec;
	CUgraph other, body;

	(void)state;
	assert_int_equal(EMU(cuGraphInstantiateWithParams)(&exec, graph, &how),
			 CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(how.result_out, CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED);
	assert_int_equal(EMU(cuGraphAddNode)(&node, graph, NULL, NULL, 0, &wrong),
			 CUDA_ERROR_INVALID_VALUE);
	wrong.conditional.size = 1;
	wrong.conditional.handle = memory;
	assert_int_equal(EMU(cuGraphAddNode)(&node, graph, NULL, NULL, 0, &wrong),
			 CUDA_ERROR_INVALID_VALUE);
	body = *add_conditional(graph, NULL, handle, CU_GRAPH_COND_TYPE_WHILE, 1);
	assert_int_equal(EMU(cuGraphAddHostNode)(&call, body, NULL, 0, &host), 0);
	assert_int_equal(EMU(cuGraphInstantiateWithParams)(&exec, graph, &how),
			 CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(how.result_out, CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED);
	assert_ptr_equal(how.hErrNode_out, call);
	assert_int_equal(EMU(cuGraphDestroyNode)(call), 0);
	assert_int_equal(EMU(cuGraphDestroy)(body), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(EMU(cuGraphClone)(&other, graph), CUDA_ERROR_NOT_SUPPORTED);
	exec = instantiate();
	assert_int_equal(EMU(cuGraphInstantiate)(&(CUgraphExec){ NULL }, graph, 0),
			 CUDA_ERROR_NOT_SUPPORTED);
	assert_int_equal(EMU(cuGraphCreate)(&other, 0), 0);
	assert_int_equal(EMU(cuGraphAddChildGraphNode)(&node, other, NULL, 0, graph),
			 CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(EMU(cuStreamBeginCaptureToGraph)(stream, other, NULL, NULL, 0,
							  CU_STREAM_CAPTURE_MODE_GLOBAL),
			 0);
	assert_int_equal(EMU(cuGraphLaunch)(exec, stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
	/* Who has the graph need not be told what it is. */
	assert_int_equal(EMU(cuStreamEndCapture)(stream, NULL), 0);
	assert_int_equal(EMU(cuGraphDestroy)(other), 0);
	assert_int_equal(EMU(cuGraphExecDestroy)(exec), 0);
}

static void count_up(void *data)
{
	++*(int *)data;
}

static void objects_live_as_long_as_a_graph_has_them(void **state)
{
	CUuserObject object;
	CUgraph clone;
	CUgraphExec exec;
	int gone = 0;

	(void)state;
	assert_int_equal(EMU(cuUserObjectCreate)(&object, &gone, count_up, 0,
						 CU_USER_OBJECT_NO_DESTRUCTOR_SYNC),
			 CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(EMU(cuUserObjectCreate)(&object, &gone, count_up, 2, 0),
			 CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(EMU(cuUserObjectCreate)(&object, &gone, count_up, 2,
						 CU_USER_OBJECT_NO_DESTRUCTOR_SYNC),
			 0);
	assert_int_equal(EMU(cuGraphRetainUserObject)(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE),
			 0);
	assert_int_equal(EMU(cuGraphRetainUserObject)(graph, object, 2, 0), 0);
	assert_int_equal(EMU(cuGraphReleaseUserObject)(graph, object, 4), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(EMU(cuGraphReleaseUserObject)(graph, object, 3), 0);
	assert_int_equal(EMU(cuGraphReleaseUserObject)(graph, object, 1), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(EMU(cuGraphRetainUserObject)(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE),
			 0);
	assert_int_equal(EMU(cuUserObjectRetain)(object, UINT_MAX), CUDA_ERROR_INVALID_VALUE);
	/* Copies have references of their own. */
	exec = instantiate();
	assert_int_equal(EMU(cuGraphClone)(&clone, graph), 0);
	assert_int_equal(EMU(cuGraphDestroy)(graph), 0);
	assert_int_equal(EMU(cuGraphCreate)(&graph, 0), 0);
	assert_int_equal(EMU(cuGraphDestroy)(clone), 0);
	assert_int_equal(gone, 0);
	assert_int_equal(EMU(cuGraphExecDestroy)(exec), 0);
	assert_int_equal(gone, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(a_body_runs_while_its_condition_holds),
		TEST(one_of_several_bodies_runs),
		TEST(bodies_have_conditional_nodes),
		TEST(an_executable_graph_takes_other_bodies),
		TEST(what_conditional_nodes_may_not),
		TEST(objects_live_as_long_as_a_graph_has_them),
	};
	CUmodule m;

	setenv("CGPU_EMULATED_MEMORY", "64M", 1);
	emulator_start();
	if (EMU(cuModuleLoadData)(&m, source) || EMU(cuModuleGetFunction)(&step, m, "step"))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
