/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Graphs of the emulated driver: made node by node and by capture, run, changed and cloned; memory
 * of pools; values in memory that streams write and wait for; the names for a default stream of
 * each thread and of earlier versions.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/emulator.h"

/* add(p, value): *p += value. meet(mine, other): says that it is there, and waits until the other
 * one is. */
static const char source[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
			     ".visible .entry add(.param .u64 p, .param .u32 value)\n"
			     "{\n"
			     "	.reg .b64 %p;\n	.reg .b32 %v<3>;\n"
			     "	ld.param.u64 %p, [p];\n	ld.param.u32 %v1, [value];\n"
			     "	ld.global.u32 %v2, [%p];\n	add.u32 %v2, %v2, %v1;\n	"
			     "st.global.u32 [%p], %v2;\n	ret;\n"
			     "}\n"
			     ".visible .entry meet(.param .u64 mine, .param .u64 other)\n"
			     "{\n"
			     "	.reg .b64 %p<3>;\n	.reg .b32 %v;\n	.reg .pred %q;\n"
			     "	ld.param.u64 %p1, [mine];\n	ld.param.u64 %p2, [other];\n	"
			     "st.volatile.global.u32 [%p1], 1;\n"
			     "again:\n	ld.volatile.global.u32 %v, [%p2];\n	setp.eq.u32 %q, "
			     "%v, 0;\n	@%q bra again;\n	ret;\n"
			     "}\n";

static CUfunction add, meet;
static CUdeviceptr memory; /* of two ints */
static CUstream one, two;
static CUgraph graph;

static int setup(void **state)
{
	(void)state;
	graph = NULL;
	return EMU(cuStreamCreate)(&one, CU_STREAM_NON_BLOCKING) ||
	       EMU(cuStreamCreate)(&two, CU_STREAM_NON_BLOCKING) || EMU(cuMemAlloc)(&memory, 8) ||
	       EMU(cuMemsetD32)(memory, 0, 2);
}

static int teardown(void **state)
{
	(void)state;
	if (graph)
		EMU(cuGraphDestroy)(graph);
	return EMU(cuMemFree)(memory) || EMU(cuStreamDestroy)(one) || EMU(cuStreamDestroy)(two);
}

static int value_at(CUdeviceptr p)
{
	int v = -1;

	assert_int_equal(EMU(cuMemcpyDtoH)(&v, p, sizeof(v)), 0);
	return v;
}

static CUresult launch(CUstream s, int value)
{
	void *args[] = { &memory, &value };

	return EMU(cuLaunchKernel)(add, 1, 1, 1, 1, 1, 1, 0, s, args, NULL);
}

static CUDA_KERNEL_NODE_PARAMS kernel(void **args)
{
	return (CUDA_KERNEL_NODE_PARAMS){ .func = add,
					  .gridDimX = 1,
					  .gridDimY = 1,
					  .gridDimZ = 1,
					  .blockDimX = 1,
					  .blockDimY = 1,
					  .blockDimZ = 1,
					  .kernelParams = args };
}

static void run(CUgraph g)
{
	CUgraphExec exec;

	assert_int_equal(EMU(cuGraphInstantiate)(&exec, g, 0), 0);
	assert_int_equal(EMU(cuGraphLaunch)(exec, one), 0);
	assert_int_equal(EMU(cuStreamSynchronize)(one), 0);
	assert_int_equal(EMU(cuGraphExecDestroy)(exec), 0);
}

static void nodes_run_in_the_order_of_their_dependencies(void **state)
{
	int value = 5;
	void *args[] = { &memory, &value };
	CUDA_KERNEL_NODE_PARAMS params = kernel(args), seen;
	CUDA_MEMSET_NODE_PARAMS fill = {
		.dst = memory, .value = 40, .elementSize = 4, .width = 1, .height = 1
	};
	CUgraphNode launched, filled, nodes[2];
	CUgraphNodeType type;
	size_t n = 2;

	(void)state;
	assert_int_equal(EMU(cuGraphCreate)(&graph, 0), 0);
	/* The one that comes first is added last. */
	assert_int_equal(EMU(cuGraphAddKernelNode)(&launched, graph, NULL, 0, &params), 0);
	assert_int_equal(EMU(cuGraphAddMemsetNode)(&filled, graph, NULL, 0, &fill, NULL), 0);
	assert_int_equal(EMU(cuGraphAddDependencies)(graph, &filled, &launched, NULL, 1), 0);
	value = 1000; /* was copied */
	run(graph);
	assert_int_equal(value_at(memory), 45);
	assert_int_equal(EMU(cuGraphGetNodes)(graph, nodes, &n), 0);
	assert_int_equal(n, 2);
	assert_ptr_equal(nodes[1], filled);
	assert_int_equal(EMU(cuGraphGetRootNodes)(graph, NULL, &n), 0);
	assert_int_equal(n, 1);
	assert_int_equal(EMU(cuGraphNodeGetType)(filled, &type), 0);
	assert_int_equal(type, CU_GRAPH_NODE_TYPE_MEMSET);
	assert_int_equal(EMU(cuGraphKernelNodeGetParams)(launched, &seen), 0);
	assert_int_equal(*(int *)seen.kernelParams[1], 5);
	/* A circle is no order. */
	assert_int_equal(EMU(cuGraphAddDependencies)(graph, &launched, &filled, NULL, 1), 0);
	assert_int_equal(EMU(cuGraphInstantiate)(&(CUgraphExec){ NULL }, graph, 0),
			 CUDA_ERROR_INVALID_VALUE);
}

/* fill -> meet, meet -> add: each of the two ends only when the other one has begun. */
static void branches_run_side_by_side(void **state)
{
	CUdeviceptr other = memory + 4;
	int value = 10;
	void *to[] = { &memory, &other }, *fro[] = { &other, &memory },
	     *sum[] = { &memory, &value };
	CUDA_KERNEL_NODE_PARAMS params = kernel(to);
	CUDA_MEMSET_NODE_PARAMS fill = {
		.dst = memory, .value = 0, .elementSize = 4, .width = 2, .height = 1
	};
	CUgraphNode filled, nodes[2], last;
	CUgraphExec exec;

	(void)state;
	assert_int_equal(EMU(cuGraphCreate)(&graph, 0), 0);
	assert_int_equal(EMU(cuGraphAddMemsetNode)(&filled, graph, NULL, 0, &fill, NULL), 0);
	params.func = meet;
	assert_int_equal(EMU(cuGraphAddKernelNode)(&nodes[0], graph, &filled, 1, &params), 0);
	params.kernelParams = fro;
	assert_int_equal(EMU(cuGraphAddKernelNode)(&nodes[1], graph, &filled, 1, &params), 0);
	params = kernel(sum);
	assert_int_equal(EMU(cuGraphAddKernelNode)(&last, graph, nodes, 2, &params), 0);
	assert_int_equal(EMU(cuGraphInstantiate)(&exec, graph, 0), 0);
	for (int i = 0; i < 2; i++) {
		/* What is before the graph in its stream is before all of it, and what is behind it
		 * behind all. */
		assert_int_equal(EMU(cuMemsetD32Async)(memory, 5, 2, one), 0);
		assert_int_equal(EMU(cuGraphLaunch)(exec, one), 0);
		assert_int_equal(launch(one, 100), 0);
		assert_int_equal(EMU(cuStreamSynchronize)(one), 0);
		assert_int_equal(value_at(memory), 111);
	}
	assert_int_equal(EMU(cuGraphExecDestroy)(exec), 0);
}

static void calls_of_streams_are_captured(void **state)
{
	CUstreamCaptureStatus status;
	CUevent fork, join;
	int seen = 0;

	(void)state;
	assert_int_equal(EMU(cuEventCreate)(&fork, 0), 0);
	assert_int_equal(EMU(cuEventCreate)(&join, 0), 0);
	assert_int_equal(EMU(cuStreamBeginCapture)(one, CU_STREAM_CAPTURE_MODE_GLOBAL), 0);
	assert_int_equal(EMU(cuMemsetD32Async)(memory, 3, 2, one), 0);
	assert_int_equal(EMU(cuEventRecord)(fork, one), 0);
	assert_int_equal(EMU(cuStreamWaitEvent)(two, fork, 0), 0);
	assert_int_equal(launch(two, 4), 0);
	assert_int_equal(EMU(cuStreamIsCapturing)(two, &status), 0);
	assert_int_equal(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
	assert_int_equal(EMU(cuEventQuery)(fork), CUDA_ERROR_CAPTURED_EVENT);
	assert_int_equal(EMU(cuEventRecord)(join, two), 0);
	assert_int_equal(EMU(cuStreamWaitEvent)(one, join, 0), 0);
	assert_int_equal(EMU(cuMemcpyDtoHAsync)(&seen, memory, sizeof(seen), one), 0);
	assert_int_equal(EMU(cuStreamEndCapture)(one, &graph), 0);
	assert_int_equal(EMU(cuStreamIsCapturing)(two, &status), 0);
	assert_int_equal(status, CU_STREAM_CAPTURE_STATUS_NONE);
	assert_int_equal(seen, 0);
	run(graph);
	assert_int_equal(seen, 7);
	run(graph);
	assert_int_equal(value_at(memory), 7);
	assert_int_equal(EMU(cuEventDestroy)(fork), 0);
	assert_int_equal(EMU(cuEventDestroy)(join), 0);
}

static void a_capture_can_go_wrong(void **state)
{
	CUstreamCaptureStatus status;
	CUevent e;

	(void)state;
	assert_int_equal(EMU(cuStreamEndCapture)(one, &graph), CUDA_ERROR_ILLEGAL_STATE);
	assert_int_equal(EMU(cuStreamBeginCapture)(NULL, CU_STREAM_CAPTURE_MODE_GLOBAL),
			 CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
	/* A call that waits would wait for ever. */
	assert_int_equal(EMU(cuStreamBeginCapture)(one, CU_STREAM_CAPTURE_MODE_GLOBAL), 0);
	assert_int_equal(EMU(cuStreamSynchronize)(one), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
	assert_int_equal(EMU(cuStreamIsCapturing)(one, &status), 0);
	assert_int_equal(status, CU_STREAM_CAPTURE_STATUS_INVALIDATED);
	assert_int_equal(launch(one, 1), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
	assert_int_equal(EMU(cuStreamEndCapture)(one, &graph),
			 CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
	/* A stream that does not come back. */
	assert_int_equal(EMU(cuEventCreate)(&e, 0), 0);
	assert_int_equal(EMU(cuStreamBeginCapture)(one, CU_STREAM_CAPTURE_MODE_GLOBAL), 0);
	assert_int_equal(EMU(cuEventRecord)(e, one), 0);
	assert_int_equal(EMU(cuStreamWaitEvent)(two, e, 0), 0);
	assert_int_equal(launch(two, 1), 0);
	assert_int_equal(EMU(cuStreamEndCapture)(one, &graph), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
	assert_null(graph);
	assert_int_equal(launch(two, 1), 0);
	assert_int_equal(EMU(cuStreamSynchronize)(two), 0);
	assert_int_equal(value_at(memory), 1);
	assert_int_equal(EMU(cuEventDestroy)(e), 0);
}

static void an_executable_graph_can_be_changed(void **state)
{
	int value = 5;
	void *args[] = { &memory, &value };
	CUDA_KERNEL_NODE_PARAMS params = kernel(args);
	CUgraphExecUpdateResultInfo info;
	CUgraphNode node, copy, other;
	CUgraphExec exec;
	CUgraph clone;

	(void)state;
	assert_int_equal(EMU(cuGraphCreate)(&graph, 0), 0);
	assert_int_equal(EMU(cuGraphAddKernelNode)(&node, graph, NULL, 0, &params), 0);
	assert_int_equal(EMU(cuGraphInstantiate)(&exec, graph, 0), 0);
	value = 70;
	assert_int_equal(EMU(cuGraphExecKernelNodeSetParams)(exec, node, &params), 0);
	assert_int_equal(EMU(cuGraphLaunch)(exec, one), 0);
	assert_int_equal(EMU(cuGraphClone)(&clone, graph), 0);
	assert_int_equal(EMU(cuGraphNodeFindInClone)(&copy, node, clone), 0);
	value = 600;
	assert_int_equal(EMU(cuGraphKernelNodeSetParams)(copy, &params), 0);
	assert_int_equal(EMU(cuGraphExecUpdate)(exec, clone, &info), 0);
	assert_int_equal(EMU(cuGraphLaunch)(exec, one), 0);
	assert_int_equal(EMU(cuStreamSynchronize)(one), 0);
	assert_int_equal(value_at(memory), 670);
	assert_int_equal(EMU(cuGraphNodeSetEnabled)(exec, node, 0), 0);
	assert_int_equal(EMU(cuGraphLaunch)(exec, one), 0);
	assert_int_equal(EMU(cuStreamSynchronize)(one), 0);
	assert_int_equal(value_at(memory), 670);
	assert_int_equal(EMU(cuGraphAddEmptyNode)(&other, clone, NULL, 0), 0);
	assert_int_equal(EMU(cuGraphExecUpdate)(exec, clone, &info),
			 CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
	assert_int_equal(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
	/* The graph that a node has is a copy. It adds behind the other node, not beside it. */
	assert_int_equal(EMU(cuGraphAddChildGraphNode)(&other, clone, &copy, 1, graph), 0);
	assert_int_equal(EMU(cuMemsetD32)(memory, 0, 1), 0);
	run(clone);
	assert_int_equal(value_at(memory), 605);
	assert_int_equal(EMU(cuGraphDestroyNode)(other), 0);
	assert_int_equal(EMU(cuGraphExecDestroy)(exec), 0);
	assert_int_equal(EMU(cuGraphDestroy)(clone), 0);
}

static size_t free_memory(void)
{
	size_t left, all;

	assert_int_equal(EMU(cuMemGetInfo)(&left, &all), 0);
	return left;
}

static void memory_of_a_graph_goes_with_it(void **state)
{
	CUDA_MEM_ALLOC_NODE_PARAMS params = {
		.poolProps = { .allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
			       .location.type = CU_MEM_LOCATION_TYPE_DEVICE },
		.bytesize = 4 << 20
	};
	size_t before = free_memory();
	CUdeviceptr captured;
	CUgraphNode node;

	(void)state;
	assert_int_equal(EMU(cuGraphCreate)(&graph, 0), 0);
	assert_int_equal(EMU(cuGraphAddMemAllocNode)(&node, graph, NULL, 0, &params), 0);
	run(graph);
	assert_int_equal(EMU(cuMemsetD32)(params.dptr, 9, 1), 0);
	assert_int_equal(value_at(params.dptr), 9);
	/* The next launch has it at the same address. */
	assert_int_equal(EMU(cuMemFree)(params.dptr), 0);
	assert_int_equal(EMU(cuMemsetD32)(params.dptr, 9, 1), 0);
	assert_int_equal(EMU(cuGraphDestroy)(graph), 0);
	assert_int_equal(free_memory(), before);
	assert_int_equal(EMU(cuStreamBeginCapture)(one, CU_STREAM_CAPTURE_MODE_GLOBAL), 0);
	assert_int_equal(EMU(cuMemAllocAsync)(&captured, 4, one), 0);
	assert_int_equal(EMU(cuMemsetD32Async)(captured, 8, 1, one), 0);
	assert_int_equal(EMU(cuMemcpyDtoDAsync)(memory, captured, 4, one), 0);
	assert_int_equal(EMU(cuMemFreeAsync)(captured, one), 0);
	assert_int_equal(EMU(cuStreamEndCapture)(one, &graph), 0);
	run(graph);
	assert_int_equal(value_at(memory), 8);
}

static void pools_count_what_is_taken(void **state)
{
	CUmemPoolProps props = { .allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
				 .location.type = CU_MEM_LOCATION_TYPE_DEVICE,
				 .maxSize = 1 << 20 };
	size_t before = free_memory();
	CUdeviceptr a, b;
	CUmemoryPool pool;
	cuuint64_t used;

	(void)state;
	assert_int_equal(EMU(cuMemPoolCreate)(&pool, &props), 0);
	assert_int_equal(EMU(cuMemAllocFromPoolAsync)(&a, 700 << 10, pool, one), 0);
	assert_int_equal(EMU(cuMemAllocFromPoolAsync)(&b, 700 << 10, pool, one),
			 CUDA_ERROR_OUT_OF_MEMORY);
	assert_int_equal(EMU(cuMemPoolGetAttribute)(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used),
			 0);
	assert_int_equal(used, 700 << 10);
	assert_int_equal(EMU(cuMemFreeAsync)(a, one), 0);
	assert_int_equal(EMU(cuStreamSynchronize)(one), 0);
	assert_int_equal(EMU(cuMemPoolGetAttribute)(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used),
			 0);
	assert_int_equal(used, 0);
	assert_int_equal(EMU(cuMemPoolGetAttribute)(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &used), 0);
	assert_int_equal(used, 700 << 10);
	/* The device's current pool; memory outlives its pool. */
	assert_int_equal(EMU(cuDeviceSetMemPool)(0, pool), 0);
	assert_int_equal(EMU(cuMemAllocAsync)(&a, 16, one), 0);
	assert_int_equal(EMU(cuMemPoolDestroy)(pool), 0);
	assert_int_equal(EMU(cuMemsetD32)(a, 6, 1), 0);
	assert_int_equal(value_at(a), 6);
	assert_int_equal(EMU(cuMemFree)(a), 0);
	assert_int_equal(EMU(cuMemFreeAsync)(a, one), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(EMU(cuDeviceGetMemPool)(&pool, 0), 0);
	assert_int_equal(EMU(cuMemPoolDestroy)(pool), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(free_memory(), before);
}

static void streams_wait_for_values(void **state)
{
	CUdeviceptr flag = memory + 4;

	(void)state;
	assert_int_equal(EMU(cuStreamWaitValue32)(one, flag, 2, CU_STREAM_WAIT_VALUE_GEQ), 0);
	assert_int_equal(launch(one, 1), 0);
	assert_int_equal(EMU(cuStreamQuery)(one), CUDA_ERROR_NOT_READY);
	assert_int_equal(EMU(cuStreamWriteValue32)(two, flag, 1, 0), 0);
	assert_int_equal(EMU(cuStreamSynchronize)(two), 0);
	assert_int_equal(EMU(cuStreamQuery)(one), CUDA_ERROR_NOT_READY);
	assert_int_equal(value_at(memory), 0);
	assert_int_equal(EMU(cuStreamWriteValue32)(two, flag, 3, 0), 0);
	assert_int_equal(EMU(cuStreamSynchronize)(one), 0);
	assert_int_equal(value_at(memory), 1);
	assert_int_equal(EMU(cuStreamWriteValue64)(two, flag, 1, 0), CUDA_ERROR_INVALID_VALUE);
}

static void *by_name(const char *name, int version, cuuint64_t flags)
{
	CUdriverProcAddressQueryResult status;
	void *p = NULL;

	assert_int_equal(EMU(cuGetProcAddress)(name, &p, version, flags, &status), 0);
	return p;
}

static void functions_are_found_by_version_and_default_stream(void **state)
{
	(void)state;
	assert_ptr_equal(
		by_name("cuMemcpyHtoDAsync", 13000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM),
		emulator_symbol("cuMemcpyHtoDAsync_v2_ptsz"));
	assert_ptr_equal(by_name("cuMemcpyHtoDAsync", 13000, 0),
			 emulator_symbol("cuMemcpyHtoDAsync_v2"));
	assert_ptr_equal(
		by_name("cuMemAlloc", 13000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM),
		emulator_symbol("cuMemAlloc_v2"));
	assert_ptr_equal(by_name("cuGraphAddNode", 12020, 0), emulator_symbol("cuGraphAddNode"));
	assert_ptr_equal(by_name("cuGraphAddNode", 12030, 0), emulator_symbol("cuGraphAddNode_v2"));
	assert_ptr_equal(by_name("cuMulticastCreate", 13000, 0),
			 emulator_symbol("cuMulticastCreate"));
	assert_int_equal(((CUresult(*)(void))emulator_symbol("cuMulticastCreate"))(),
			 CUDA_ERROR_NOT_SUPPORTED);
}

/* As before cuLaunchKernel(): shape and arguments stay with the function. */
static void launches_are_made_call_by_call(void **state)
{
	(void)state;
	assert_int_equal(((CUresult(*)(CUfunction, int, int, int))emulator_symbol(
				 "cuFuncSetBlockShape"))(add, 1, 1, 1),
			 0);
	assert_int_equal(
		((CUresult(*)(CUfunction, unsigned))emulator_symbol("cuParamSetSize"))(add, 12), 0);
	assert_int_equal(((CUresult(*)(CUfunction, int, void *, unsigned))emulator_symbol(
				 "cuParamSetv"))(add, 0, &memory, 8),
			 0);
	assert_int_equal(((CUresult(*)(CUfunction, int, unsigned))emulator_symbol("cuParamSeti"))(
				 add, 8, 11),
			 0);
	assert_int_equal(
		((CUresult(*)(CUfunction, int, int))emulator_symbol("cuLaunchGrid"))(add, 1, 1), 0);
	assert_int_equal(((CUresult(*)(CUfunction))emulator_symbol("cuLaunch"))(add), 0);
	assert_int_equal(EMU(cuCtxSynchronize)(), 0);
	assert_int_equal(value_at(memory), 22);
}

static void null_is_the_stream_of_the_thread(void **state)
{
	CUresult (*fill)(CUdeviceptr, unsigned, size_t, CUstream) =
		emulator_symbol("cuMemsetD32Async_ptsz");
	CUresult (*wait)(CUstream, CUdeviceptr, cuuint32_t, unsigned) =
		emulator_symbol("cuStreamWaitValue32_v2_ptsz");
	CUresult (*synchronize)(CUstream) = emulator_symbol("cuStreamSynchronize_ptsz");

	(void)state;
	assert_int_equal(wait(NULL, memory + 4, 1, CU_STREAM_WAIT_VALUE_EQ), 0);
	assert_int_equal(fill(memory, 5, 1, NULL), 0);
	assert_int_equal(EMU(cuStreamQuery)(CU_STREAM_PER_THREAD), CUDA_ERROR_NOT_READY);
	assert_int_equal(EMU(cuStreamWriteValue32)(one, memory + 4, 1, 0), 0);
	assert_int_equal(synchronize(NULL), 0);
	assert_int_equal(value_at(memory), 5);
}

/* Last: the device is lost. */
static void a_value_that_nobody_writes_is_a_deadlock(void **state)
{
	struct emulator_fault fault;

	(void)state;
	assert_int_equal(EMU(cuStreamWaitValue32)(one, memory, 1, CU_STREAM_WAIT_VALUE_EQ), 0);
	assert_int_equal(EMU(cuStreamSynchronize)(one), CUDA_ERROR_LAUNCH_TIMEOUT);
	assert_int_equal(extension->last_fault(&fault), 1);
	assert_non_null(strstr(fault.text, "a stream waits for a value in memory"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(nodes_run_in_the_order_of_their_dependencies),
		TEST(branches_run_side_by_side),
		TEST(calls_of_streams_are_captured),
		TEST(a_capture_can_go_wrong),
		TEST(an_executable_graph_can_be_changed),
		TEST(memory_of_a_graph_goes_with_it),
		TEST(pools_count_what_is_taken),
		TEST(streams_wait_for_values),
		TEST(functions_are_found_by_version_and_default_stream),
		TEST(launches_are_made_call_by_call),
		TEST(null_is_the_stream_of_the_thread),
		cmocka_unit_test_setup(a_value_that_nobody_writes_is_a_deadlock, setup),
	};
	CUmodule m;

	setenv("CGPU_EMULATED_MEMORY", "64M", 1);
	emulator_start();
	if (EMU(cuModuleLoadData)(&m, source) || EMU(cuModuleGetFunction)(&add, m, "add") ||
	    EMU(cuModuleGetFunction)(&meet, m, "meet"))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
