/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One function a kind of node: the call of a stream that runs it. Memory of an allocation node is
 * there from the node's making to the end of its last copy, so such nodes have nothing to do. Who
 * launches a graph waits at a conditional node for what is before it.
 */
#include "emulator/driver/graph-run/graph-node-run.h"

#include "emulator/driver/graph-run/graph-run.h"

static CUresult run_launch(CUgraphNode n, CUstream stream)
{
	const CUDA_KERNEL_NODE_PARAMS_v3 *k = &n->params.kernel;
	CUlaunchAttribute cooperative = { .id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE,
					  .value.cooperative = n->cooperative };
	CUlaunchConfig c = {
		k->gridDimX,  k->gridDimY,       k->gridDimZ, k->blockDimX, k->blockDimY,
		k->blockDimZ, k->sharedMemBytes, stream,      &cooperative, 1
	};

	return cuLaunchKernelEx(&c, k->func, k->kernelParams, NULL);
}

static CUresult run_copy(CUgraphNode n, CUstream stream)
{
	return cuMemcpy3DAsync(&n->params.memcpy.copyParams, stream);
}

static CUresult run_fill(CUgraphNode n, CUstream stream)
{
	const CUDA_MEMSET_NODE_PARAMS_v2 *f = &n->params.memset;

	switch (f->elementSize) {
	case 1:
		return cuMemsetD2D8Async(f->dst, f->pitch, (unsigned char)f->value, f->width,
					 f->height, stream);
	case 2:
		return cuMemsetD2D16Async(f->dst, f->pitch, (unsigned short)f->value, f->width,
					  f->height, stream);
	default:
		return cuMemsetD2D32Async(f->dst, f->pitch, f->value, f->width, f->height, stream);
	}
}

static CUresult run_host(CUgraphNode n, CUstream stream)
{
	return cuLaunchHostFunc(stream, n->params.host.fn, n->params.host.userData);
}

static CUresult run_record(CUgraphNode n, CUstream stream)
{
	return cuEventRecord(n->params.eventRecord.event, stream);
}

static CUresult run_wait(CUgraphNode n, CUstream stream)
{
	return cuStreamWaitEvent(stream, n->params.eventWait.event, 0);
}

static CUresult run_values(CUgraphNode n, CUstream stream)
{
	const CUDA_BATCH_MEM_OP_NODE_PARAMS_v2 *m = &n->params.memOp;

	return cuStreamBatchMemOp(stream, m->count, m->paramArray, m->flags);
}

static CUresult run_child(CUgraphNode n, CUstream stream)
{
	return graph_run(n->params.graph.graph, stream);
}

static CUresult run_nothing(CUgraphNode n, CUstream stream)
{
	(void)n;
	(void)stream;
	return CUDA_SUCCESS;
}

/* The body that is to run, NULL: none; waits for what is in the stream. */
static CUresult decide(const CUDA_CONDITIONAL_NODE_PARAMS *c, CUstream stream, CUgraph *ret)
{
	unsigned value = 0, index = 0;
	CUresult result = cuMemcpyDtoHAsync(&value, c->handle, sizeof(value), stream);

	if (!result)
		result = cuStreamSynchronize(stream);
	if (result)
		return result;
	if (c->type == CU_GRAPH_COND_TYPE_SWITCH)
		index = value;
	else if (!value)
		index = c->type == CU_GRAPH_COND_TYPE_IF ? 1 : -1u;
	*ret = index < c->size ? c->phGraph_out[index] : NULL;
	return CUDA_SUCCESS;
}

static CUresult run_condition(CUgraphNode n, CUstream stream)
{
	const CUDA_CONDITIONAL_NODE_PARAMS *c = &n->params.conditional;
	CUresult result;
	CUgraph body;

	do {
		result = decide(c, stream, &body);
		if (!result && body)
			result = graph_run(body, stream);
	} while (!result && body && c->type == CU_GRAPH_COND_TYPE_WHILE);
	return result;
}

static CUresult (*const kinds[])(CUgraphNode n, CUstream stream) = {
	[CU_GRAPH_NODE_TYPE_KERNEL] = run_launch,
	[CU_GRAPH_NODE_TYPE_MEMCPY] = run_copy,
	[CU_GRAPH_NODE_TYPE_MEMSET] = run_fill,
	[CU_GRAPH_NODE_TYPE_HOST] = run_host,
	[CU_GRAPH_NODE_TYPE_GRAPH] = run_child,
	[CU_GRAPH_NODE_TYPE_EMPTY] = run_nothing,
	[CU_GRAPH_NODE_TYPE_WAIT_EVENT] = run_wait,
	[CU_GRAPH_NODE_TYPE_EVENT_RECORD] = run_record,
	[CU_GRAPH_NODE_TYPE_MEM_ALLOC] = run_nothing,
	[CU_GRAPH_NODE_TYPE_MEM_FREE] = run_nothing,
	[CU_GRAPH_NODE_TYPE_BATCH_MEM_OP] = run_values,
	[CU_GRAPH_NODE_TYPE_CONDITIONAL] = run_condition,
};

CUresult graph_node_run(CUgraphNode n, CUstream stream)
{
	return kinds[n->params.type](n, stream);
}
