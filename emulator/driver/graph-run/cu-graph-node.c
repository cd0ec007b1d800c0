/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Driver API, chapter Graph Management: nodes and their parameters. All kinds go through the
 * parameters of any kind, CUgraphNodeParams: the calls of a kind put its own into them or take them
 * out.
 */
#include "emulator/driver/graph/graph.h"

/* The place of a new node. */
struct place {
	CUgraphNode *ret;
	CUgraph graph;
	const CUgraphNode *deps;
	size_t n;
};

/* params NULL: the program gave none. */
static CUresult add(const char *call, const struct place *p, const CUgraphNodeParams *params)
{
	CUresult result = gpu_enter(call, GPU_CALL_ASYNC);

	if (result)
		return result;
	if (!params || !p->ret || !graph_valid(p->graph) || (p->n && !p->deps))
		return CUDA_ERROR_INVALID_VALUE;
	return graph_add(p->graph, params, p->deps, p->n, p->ret);
}

static CUresult set(const char *call, CUgraphNode n, const CUgraphNodeParams *params)
{
	CUresult result = gpu_enter(call, GPU_CALL_ASYNC);

	return result                          ? result
	       : params && graph_node_valid(n) ? graph_node_set(n, params)
					       : CUDA_ERROR_INVALID_VALUE;
}

/* In an executable graph: the copy of a node of the graph that it was made from. NULL: there is
 * none. */
static CUgraphNode copy_in(CUgraphExec e, CUgraphNode n)
{
	return graph_exec_valid(e) ? graph_copy_of(e->graph, n) : NULL;
}

static CUresult set_in(const char *call, CUgraphExec e, CUgraphNode n,
		       const CUgraphNodeParams *params)
{
	return set(call, copy_in(e, n), params);
}

/* Whether the node is of this type and there is somewhere to answer to. */
static CUresult get(const char *call, CUgraphNode n, CUgraphNodeType type, const void *ret)
{
	CUresult result = gpu_enter(call, GPU_CALL_ASYNC);

	return result                                                 ? result
	       : graph_node_valid(n) && n->params.type == type && ret ? CUDA_SUCCESS
								      : CUDA_ERROR_INVALID_VALUE;
}

/* Parameter lists that are the same for each kind of node. */
#define PLACE CUgraphNode *ret, CUgraph graph, const CUgraphNode *deps, size_t n_deps
#define AT (&(struct place){ ret, graph, deps, n_deps })

/* The parameters of a kind in *ret; NULL when the program gave none. */
#define AS(kind, p) as_##kind(&(CUgraphNodeParams){ 0 }, p)

static const CUgraphNodeParams *as_kernel(CUgraphNodeParams *ret, const CUDA_KERNEL_NODE_PARAMS *p)
{
	if (!p)
		return NULL;
	ret->type = CU_GRAPH_NODE_TYPE_KERNEL;
	ret->kernel =
		(CUDA_KERNEL_NODE_PARAMS_v3){ p->func,      p->gridDimX,       p->gridDimY,
					      p->gridDimZ,  p->blockDimX,      p->blockDimY,
					      p->blockDimZ, p->sharedMemBytes, p->kernelParams,
					      p->extra,     p->kern,           p->ctx };
	return ret;
}

CUresult cuGraphAddKernelNode(PLACE, const CUDA_KERNEL_NODE_PARAMS *p)
{
	return add("cuGraphAddKernelNode", AT, AS(kernel, p));
}

CUresult cuGraphKernelNodeSetParams(CUgraphNode n, const CUDA_KERNEL_NODE_PARAMS *p)
{
	return set("cuGraphKernelNodeSetParams", n, AS(kernel, p));
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec e, CUgraphNode n,
					const CUDA_KERNEL_NODE_PARAMS *p)
{
	return set_in("cuGraphExecKernelNodeSetParams", e, n, AS(kernel, p));
}

/* The array of pointers to the arguments is the node's. */
CUresult cuGraphKernelNodeGetParams(CUgraphNode n, CUDA_KERNEL_NODE_PARAMS *ret)
{
	CUresult result = get("cuGraphKernelNodeGetParams", n, CU_GRAPH_NODE_TYPE_KERNEL, ret);
	const CUDA_KERNEL_NODE_PARAMS_v3 *k = result ? NULL : &n->params.kernel;

	if (k)
		*ret = (CUDA_KERNEL_NODE_PARAMS){ k->func,      k->gridDimX,       k->gridDimY,
						  k->gridDimZ,  k->blockDimX,      k->blockDimY,
						  k->blockDimZ, k->sharedMemBytes, k->kernelParams,
						  k->extra,     k->kern,           k->ctx };
	return result;
}

/* One attribute of a launch changes what it does here. */
CUresult cuGraphKernelNodeSetAttribute(CUgraphNode n, CUkernelNodeAttrID attribute,
				       const CUkernelNodeAttrValue *value)
{
	CUresult result = get("cuGraphKernelNodeSetAttribute", n, CU_GRAPH_NODE_TYPE_KERNEL, value);

	if (!result && attribute == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
		n->cooperative = value->cooperative;
	return result;
}

CUresult cuGraphKernelNodeGetAttribute(CUgraphNode n, CUkernelNodeAttrID attribute,
				       CUkernelNodeAttrValue *ret)
{
	CUresult result = get("cuGraphKernelNodeGetAttribute", n, CU_GRAPH_NODE_TYPE_KERNEL, ret);

	if (result)
		return result;
	*ret = (CUkernelNodeAttrValue){ 0 };
	if (attribute == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
		ret->cooperative = n->cooperative;
	return CUDA_SUCCESS;
}

CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode dst, CUgraphNode src)
{
	CUresult result =
		get("cuGraphKernelNodeCopyAttributes", dst, CU_GRAPH_NODE_TYPE_KERNEL, dst);

	if (!result)
		result =
			get("cuGraphKernelNodeCopyAttributes", src, CU_GRAPH_NODE_TYPE_KERNEL, src);
	if (!result)
		dst->cooperative = src->cooperative;
	return result;
}

static const CUgraphNodeParams *as_copy(CUgraphNodeParams *ret, const CUDA_MEMCPY3D *p)
{
	if (!p)
		return NULL;
	ret->type = CU_GRAPH_NODE_TYPE_MEMCPY;
	ret->memcpy.copyParams = *p;
	return ret;
}

CUresult cuGraphAddMemcpyNode(PLACE, const CUDA_MEMCPY3D *p, CUcontext context)
{
	CUgraphNodeParams params = { 0 };
	const CUgraphNodeParams *given = as_copy(&params, p);

	params.memcpy.copyCtx = context;
	return add("cuGraphAddMemcpyNode", AT, given);
}

CUresult cuGraphMemcpyNodeSetParams(CUgraphNode n, const CUDA_MEMCPY3D *p)
{
	return set("cuGraphMemcpyNodeSetParams", n, AS(copy, p));
}

CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec e, CUgraphNode n, const CUDA_MEMCPY3D *p,
					CUcontext context)
{
	(void)context;
	return set_in("cuGraphExecMemcpyNodeSetParams", e, n, AS(copy, p));
}

CUresult cuGraphMemcpyNodeGetParams(CUgraphNode n, CUDA_MEMCPY3D *ret)
{
	CUresult result = get("cuGraphMemcpyNodeGetParams", n, CU_GRAPH_NODE_TYPE_MEMCPY, ret);

	if (!result)
		*ret = n->params.memcpy.copyParams;
	return result;
}

static const CUgraphNodeParams *as_fill(CUgraphNodeParams *ret, const CUDA_MEMSET_NODE_PARAMS *p)
{
	if (!p)
		return NULL;
	ret->type = CU_GRAPH_NODE_TYPE_MEMSET;
	ret->memset = (CUDA_MEMSET_NODE_PARAMS_v2){ p->dst,   p->pitch,  p->value, p->elementSize,
						    p->width, p->height, NULL };
	return ret;
}

CUresult cuGraphAddMemsetNode(PLACE, const CUDA_MEMSET_NODE_PARAMS *p, CUcontext context)
{
	CUgraphNodeParams params = { 0 };
	const CUgraphNodeParams *given = as_fill(&params, p);

	params.memset.ctx = context;
	return add("cuGraphAddMemsetNode", AT, given);
}

CUresult cuGraphMemsetNodeSetParams(CUgraphNode n, const CUDA_MEMSET_NODE_PARAMS *p)
{
	return set("cuGraphMemsetNodeSetParams", n, AS(fill, p));
}

CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec e, CUgraphNode n,
					const CUDA_MEMSET_NODE_PARAMS *p, CUcontext context)
{
	(void)context;
	return set_in("cuGraphExecMemsetNodeSetParams", e, n, AS(fill, p));
}

CUresult cuGraphMemsetNodeGetParams(CUgraphNode n, CUDA_MEMSET_NODE_PARAMS *ret)
{
	CUresult result = get("cuGraphMemsetNodeGetParams", n, CU_GRAPH_NODE_TYPE_MEMSET, ret);
	const CUDA_MEMSET_NODE_PARAMS_v2 *f = result ? NULL : &n->params.memset;

	if (f)
		*ret = (CUDA_MEMSET_NODE_PARAMS){ f->dst,         f->pitch, f->value,
						  f->elementSize, f->width, f->height };
	return result;
}

static const CUgraphNodeParams *as_host(CUgraphNodeParams *ret, const CUDA_HOST_NODE_PARAMS *p)
{
	if (!p)
		return NULL;
	ret->type = CU_GRAPH_NODE_TYPE_HOST;
	ret->host = (CUDA_HOST_NODE_PARAMS_v2){ p->fn, p->userData };
	return ret;
}

CUresult cuGraphAddHostNode(PLACE, const CUDA_HOST_NODE_PARAMS *p)
{
	return add("cuGraphAddHostNode", AT, AS(host, p));
}

CUresult cuGraphHostNodeSetParams(CUgraphNode n, const CUDA_HOST_NODE_PARAMS *p)
{
	return set("cuGraphHostNodeSetParams", n, AS(host, p));
}

CUresult cuGraphExecHostNodeSetParams(CUgraphExec e, CUgraphNode n, const CUDA_HOST_NODE_PARAMS *p)
{
	return set_in("cuGraphExecHostNodeSetParams", e, n, AS(host, p));
}

CUresult cuGraphHostNodeGetParams(CUgraphNode n, CUDA_HOST_NODE_PARAMS *ret)
{
	CUresult result = get("cuGraphHostNodeGetParams", n, CU_GRAPH_NODE_TYPE_HOST, ret);

	if (!result)
		*ret = (CUDA_HOST_NODE_PARAMS){ n->params.host.fn, n->params.host.userData };
	return result;
}

static const CUgraphNodeParams *as_values(CUgraphNodeParams *ret,
					  const CUDA_BATCH_MEM_OP_NODE_PARAMS *p)
{
	if (!p)
		return NULL;
	ret->type = CU_GRAPH_NODE_TYPE_BATCH_MEM_OP;
	ret->memOp =
		(CUDA_BATCH_MEM_OP_NODE_PARAMS_v2){ p->ctx, p->count, p->paramArray, p->flags };
	return ret;
}

CUresult cuGraphAddBatchMemOpNode(PLACE, const CUDA_BATCH_MEM_OP_NODE_PARAMS *p)
{
	return add("cuGraphAddBatchMemOpNode", AT, AS(values, p));
}

CUresult cuGraphBatchMemOpNodeSetParams(CUgraphNode n, const CUDA_BATCH_MEM_OP_NODE_PARAMS *p)
{
	return set("cuGraphBatchMemOpNodeSetParams", n, AS(values, p));
}

CUresult cuGraphExecBatchMemOpNodeSetParams(CUgraphExec e, CUgraphNode n,
					    const CUDA_BATCH_MEM_OP_NODE_PARAMS *p)
{
	return set_in("cuGraphExecBatchMemOpNodeSetParams", e, n, AS(values, p));
}

CUresult cuGraphBatchMemOpNodeGetParams(CUgraphNode n, CUDA_BATCH_MEM_OP_NODE_PARAMS *ret)
{
	CUresult result =
		get("cuGraphBatchMemOpNodeGetParams", n, CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, ret);
	const CUDA_BATCH_MEM_OP_NODE_PARAMS_v2 *m = result ? NULL : &n->params.memOp;

	if (m)
		*ret = (CUDA_BATCH_MEM_OP_NODE_PARAMS){ m->ctx, m->count, m->paramArray, m->flags };
	return result;
}

CUresult cuGraphAddEmptyNode(PLACE)
{
	return add("cuGraphAddEmptyNode", AT,
		   &(CUgraphNodeParams){ .type = CU_GRAPH_NODE_TYPE_EMPTY });
}

CUresult cuGraphAddChildGraphNode(PLACE, CUgraph child)
{
	return add("cuGraphAddChildGraphNode", AT,
		   &(CUgraphNodeParams){ .type = CU_GRAPH_NODE_TYPE_GRAPH, .graph.graph = child });
}

CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec e, CUgraphNode n, CUgraph child)
{
	return set_in(
		"cuGraphExecChildGraphNodeSetParams", e, n,
		&(CUgraphNodeParams){ .type = CU_GRAPH_NODE_TYPE_GRAPH, .graph.graph = child });
}

CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode n, CUgraph *ret)
{
	CUresult result = get("cuGraphChildGraphNodeGetGraph", n, CU_GRAPH_NODE_TYPE_GRAPH, ret);

	if (!result)
		*ret = n->params.graph.graph;
	return result;
}

#define RECORD(e)                                                                                  \
	(&(CUgraphNodeParams){ .type = CU_GRAPH_NODE_TYPE_EVENT_RECORD, .eventRecord.event = (e) })
#define WAIT(e)                                                                                    \
	(&(CUgraphNodeParams){ .type = CU_GRAPH_NODE_TYPE_WAIT_EVENT, .eventWait.event = (e) })

CUresult cuGraphAddEventRecordNode(PLACE, CUevent event)
{
	return add("cuGraphAddEventRecordNode", AT, RECORD(event));
}

CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode n, CUevent event)
{
	return set("cuGraphEventRecordNodeSetEvent", n, RECORD(event));
}

CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec e, CUgraphNode n, CUevent event)
{
	return set_in("cuGraphExecEventRecordNodeSetEvent", e, n, RECORD(event));
}

CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode n, CUevent *ret)
{
	CUresult result =
		get("cuGraphEventRecordNodeGetEvent", n, CU_GRAPH_NODE_TYPE_EVENT_RECORD, ret);

	if (!result)
		*ret = n->params.eventRecord.event;
	return result;
}

CUresult cuGraphAddEventWaitNode(PLACE, CUevent event)
{
	return add("cuGraphAddEventWaitNode", AT, WAIT(event));
}

CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode n, CUevent event)
{
	return set("cuGraphEventWaitNodeSetEvent", n, WAIT(event));
}

CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec e, CUgraphNode n, CUevent event)
{
	return set_in("cuGraphExecEventWaitNodeSetEvent", e, n, WAIT(event));
}

CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode n, CUevent *ret)
{
	CUresult result =
		get("cuGraphEventWaitNodeGetEvent", n, CU_GRAPH_NODE_TYPE_WAIT_EVENT, ret);

	if (!result)
		*ret = n->params.eventWait.event;
	return result;
}

static CUgraphNodeParams as_alloc(const CUDA_MEM_ALLOC_NODE_PARAMS *p)
{
	return (CUgraphNodeParams){ .type = CU_GRAPH_NODE_TYPE_MEM_ALLOC,
				    .alloc = { p->poolProps, p->accessDescs, p->accessDescCount,
					       p->bytesize, p->dptr } };
}

CUresult cuGraphAddMemAllocNode(PLACE, CUDA_MEM_ALLOC_NODE_PARAMS *p)
{
	CUgraphNodeParams params = p ? as_alloc(p) : (CUgraphNodeParams){ 0 };
	CUresult result = add("cuGraphAddMemAllocNode", AT, p ? &params : NULL);

	if (!result)
		p->dptr = (*ret)->params.alloc.dptr;
	return result;
}

CUresult cuGraphMemAllocNodeGetParams(CUgraphNode n, CUDA_MEM_ALLOC_NODE_PARAMS *ret)
{
	CUresult result = get("cuGraphMemAllocNodeGetParams", n, CU_GRAPH_NODE_TYPE_MEM_ALLOC, ret);
	const CUDA_MEM_ALLOC_NODE_PARAMS_v2 *a = result ? NULL : &n->params.alloc;

	if (a)
		*ret = (CUDA_MEM_ALLOC_NODE_PARAMS){ a->poolProps, a->accessDescs,
						     a->accessDescCount, a->bytesize, a->dptr };
	return result;
}

CUresult cuGraphAddMemFreeNode(PLACE, CUdeviceptr address)
{
	return add(
		"cuGraphAddMemFreeNode", AT,
		&(CUgraphNodeParams){ .type = CU_GRAPH_NODE_TYPE_MEM_FREE, .free.dptr = address });
}

CUresult cuGraphMemFreeNodeGetParams(CUgraphNode n, CUdeviceptr *ret)
{
	CUresult result = get("cuGraphMemFreeNodeGetParams", n, CU_GRAPH_NODE_TYPE_MEM_FREE, ret);

	if (!result)
		*ret = n->params.free.dptr;
	return result;
}

/* ---- any kind ---- */

CUresult cuGraphAddNode(CUgraphNode *ret, CUgraph graph, const CUgraphNode *deps,
			const CUgraphEdgeData *data, size_t n_deps, CUgraphNodeParams *params)
{
	CUresult result = add("cuGraphAddNode", AT, params);

	(void)data;
	if (!result && params->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
		params->alloc.dptr = (*ret)->params.alloc.dptr;
	if (!result && params->type == CU_GRAPH_NODE_TYPE_GRAPH)
		params->graph.graph = (*ret)->params.graph.graph;
	if (!result && params->type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
		params->conditional.phGraph_out = (*ret)->params.conditional.phGraph_out;
	return result;
}

/* The memory that is taken or given back cannot be changed, nor what a conditional node
 * looks at. */
static bool is_fixed(const CUgraphNodeParams *p)
{
	return p &&
	       (p->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC || p->type == CU_GRAPH_NODE_TYPE_MEM_FREE ||
		p->type == CU_GRAPH_NODE_TYPE_CONDITIONAL);
}

CUresult cuGraphNodeSetParams(CUgraphNode n, CUgraphNodeParams *params)
{
	return is_fixed(params) ? CUDA_ERROR_NOT_SUPPORTED : set("cuGraphNodeSetParams", n, params);
}

CUresult cuGraphExecNodeSetParams(CUgraphExec e, CUgraphNode n, CUgraphNodeParams *params)
{
	return is_fixed(params) ? CUDA_ERROR_NOT_SUPPORTED
				: set_in("cuGraphExecNodeSetParams", e, n, params);
}

/* Launches, copies and fills can be left out of an executable graph. */
static CUgraphNode find_optional(CUgraphExec e, CUgraphNode n)
{
	CUgraphNode copy = copy_in(e, n);

	return copy && copy->params.type <= CU_GRAPH_NODE_TYPE_MEMSET ? copy : NULL;
}

CUresult cuGraphNodeSetEnabled(CUgraphExec e, CUgraphNode n, unsigned int enabled)
{
	CUresult result = gpu_enter("cuGraphNodeSetEnabled", GPU_CALL_DEVICE);
	CUgraphNode copy = result ? NULL : find_optional(e, n);

	if (copy)
		copy->disabled = !enabled;
	return result || copy ? result : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphNodeGetEnabled(CUgraphExec e, CUgraphNode n, unsigned int *ret)
{
	CUresult result = gpu_enter("cuGraphNodeGetEnabled", GPU_CALL_DEVICE);
	CUgraphNode copy = result || !ret ? NULL : find_optional(e, n);

	if (copy)
		*ret = !copy->disabled;
	return result || copy ? result : CUDA_ERROR_INVALID_VALUE;
}
