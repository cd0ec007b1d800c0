/* SPDX-License-Identifier: Apache-2.0 */
/* Runtime API, chapter Graph Management: graphs as a whole, from their making to their launch. Nodes: cudart-graph-node.c. */
#include "runtime/cuda/cudart.h"

#include "runtime/cuda/graphs.h"
#include "runtime/cuda/handles.h"

static cudaError_t create(cudaGraph_t *ret, unsigned flags)
{
	struct session_graph *g;

	if (!ret || flags)
		return cudaErrorInvalidValue;
	device_lock();
	g = graphs_new(false);
	device_unlock();
	*ret = (cudaGraph_t)g;
	return g ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaGraphCreate(cudaGraph_t *ret, unsigned int flags)
{
	return CUDART_CALL(create(ret, flags));
}

static bool is_captured_into(const struct session_graph *g)
{
	const struct session_array *a = &device.session->streams;

	for (uint32_t i = 0; i < a->n; i++)
		if ((*session_at(a, struct session_stream *, i))->capture == g)
			return true;
	return false;
}

/* The graph of a node goes with its node, one that is captured into with the capture. */
static cudaError_t destroy(const void *handle, bool executable)
{
	cudaError_t result = cudaErrorInvalidValue;
	struct session_graph *g;

	device_lock();
	g = graphs_find(handle, executable);
	if (g && !g->owned && !is_captured_into(g)) {
		graphs_free(g);
		result = cudaSuccess;
	}
	device_unlock();
	return result;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
	return CUDART_CALL(destroy(graph, false));
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
	return CUDART_CALL(destroy(exec, true));
}

/* A copy of a graph: an executable one, or a clone. */
static cudaError_t duplicate(void **ret, cudaGraph_t graph, bool executable, unsigned long long flags)
{
	struct session_graph *from, *g = NULL;
	cudaError_t result = cudaErrorInvalidValue;

	if (!ret || flags & ~15ull)
		return result;
	device_lock();
	from = graphs_find(graph, false);
	if (from) {
		g = graphs_new(executable);
		result = g ? graphs_copy_nodes(g, from) : cudaErrorMemoryAllocation;
	}
	if (!result && executable)
		result = graphs_put_in_order(g);
	if (!result)
		g->flags = flags;
	else if (g)
		graphs_free(g);
	device_unlock();
	if (!result)
		*ret = g;
	return result;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *ret, cudaGraph_t graph, unsigned long long flags)
{
	return CUDART_CALL(duplicate((void **)ret, graph, true, flags));
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *ret, cudaGraph_t graph, unsigned long long flags)
{
	return CUDART_CALL(duplicate((void **)ret, graph, true, flags));
}

static cudaError_t instantiate_with_params(cudaGraphExec_t *ret, cudaGraph_t graph, cudaGraphInstantiateParams *p)
{
	cudaError_t result = p ? duplicate((void **)ret, graph, true, p->flags) : cudaErrorInvalidValue;

	if (!p)
		return result;
	p->errNode_out = NULL;
	p->result_out = !result ? cudaGraphInstantiateSuccess :
			result == cudaErrorInvalidValue ? cudaGraphInstantiateInvalidStructure : cudaGraphInstantiateError;
	return result;
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *ret, cudaGraph_t graph, cudaGraphInstantiateParams *p)
{
	return CUDART_CALL(instantiate_with_params(ret, graph, p));
}

static cudaError_t flags_of(cudaGraphExec_t exec, unsigned long long *ret)
{
	const struct session_graph *g = graphs_find(exec, true);

	if (!g || !ret)
		return cudaErrorInvalidValue;
	*ret = g->flags;
	return cudaSuccess;
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *ret)
{
	return CUDART_CALL(flags_of(exec, ret));
}

cudaError_t cudaGraphClone(cudaGraph_t *ret, cudaGraph_t graph)
{
	return CUDART_CALL(duplicate((void **)ret, graph, false, 0));
}

static cudaError_t run_all(const struct session_graph *g, cudaStream_t stream);

static cudaError_t run_launch(const struct session_launch *l, cudaStream_t stream)
{
	struct session_entry *e = graphs_entry(l);
	void *args[GRAPHS_PARAMETERS_MAX];
	cudaError_t result = e ? graphs_launch_args(l, e, args) : cudaErrorInvalidDeviceFunction;

	return result ? result : cudart_launch(e, l, args, stream);
}

static cudaError_t run(const struct session_node *n, cudaStream_t stream)
{
	switch (n->kind) {
	case NODE_LAUNCH:
		return run_launch(&n->launch, stream);
	case NODE_COPY:
		return cudart_copy_async(n->copy.dst, n->copy.src, n->copy.size, n->copy.kind, stream);
	case NODE_COPY_3D:
		return cudart_copy_3d(&n->copy_3d, true, stream);
	case NODE_FILL:
		return cudart_fill(&n->fill, stream);
	case NODE_HOST:
		return cudart_launch_host(stream, n->host.fn, n->host.userData);
	case NODE_CHILD:
		return run_all(n->child, stream);
	case NODE_RECORD:
		return cudart_record_event(n->event, stream);
	case NODE_WAIT:
		return cudart_wait_event(stream, n->event);
	/* The memory is there from the node's making to its graph's end. */
	case NODE_ALLOC:
	case NODE_FREE:
	case NODE_EMPTY:
		return cudaSuccess;
	}
	return cudaErrorUnknown;
}

static cudaError_t run_all(const struct session_graph *g, cudaStream_t stream)
{
	cudaError_t result = cudaSuccess;

	for (uint32_t i = 0; !result && i < g->order.n; i++) {
		const struct session_node *n = *session_at(&g->order, struct session_node *, i);

		if (!n->disabled)
			result = run(n, stream);
	}
	return result;
}

static cudaError_t launch(cudaGraphExec_t exec, cudaStream_t stream)
{
	const struct session_graph *g = graphs_find(exec, true);
	CUstream s;
	cudaError_t result = g ? cudaSuccess : cudaErrorInvalidValue;

	if (!result && !graphs_capturing(stream))
		result = cudart_stream(stream, &s);
	return result ? result : run_all(g, stream);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
	return CUDART_CALL(launch(exec, stream));
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
	(void)stream;
	return CUDART_CALL(graphs_find(exec, true) ? cudaSuccess : cudaErrorInvalidValue);
}

/* False: *ret names the node, and what it depends on, that differ. */
static bool same_topology(const struct session_graph *exec, const struct session_graph *g, cudaGraphExecUpdateResultInfo *ret)
{
	if (exec->nodes.n != g->nodes.n)
		return false;
	for (uint32_t i = 0; i < g->nodes.n; i++) {
		const struct session_node *to = graphs_node_at(exec, i), *from = graphs_node_at(g, i);

		ret->errorNode = (cudaGraphNode_t)from;
		if (to->deps.n != from->deps.n)
			return false;
		for (uint32_t k = 0; k < from->deps.n; k++) {
			struct session_node *on = *session_at(&from->deps, struct session_node *, k);

			ret->errorFromNode = (cudaGraphNode_t)on;
			if (!graphs_depends(to, graphs_node_at(exec, on->number)))
				return false;
		}
		ret->errorFromNode = NULL;
	}
	ret->errorNode = NULL;
	return true;
}

/* Why the graph's nodes cannot take the place of the executable one's. */
static enum cudaGraphExecUpdateResult compare(const struct session_graph *exec, const struct session_graph *g,
					      cudaGraphExecUpdateResultInfo *ret)
{
	enum cudaGraphExecUpdateResult result = cudaGraphExecUpdateSuccess;

	if (!same_topology(exec, g, ret))
		return cudaGraphExecUpdateErrorTopologyChanged;
	for (uint32_t i = 0; i < g->nodes.n && !result; i++) {
		const struct session_node *to = graphs_node_at(exec, i), *from = graphs_node_at(g, i);

		ret->errorNode = (cudaGraphNode_t)from;
		if (graphs_type(to) != graphs_type(from))
			result = cudaGraphExecUpdateErrorNodeTypeChanged;
		else if (to->kind == NODE_ALLOC || to->kind == NODE_FREE)
			result = cudaGraphExecUpdateErrorNotSupported;
		else if (to->kind == NODE_CHILD)
			result = compare(to->child, from->child, ret);
	}
	if (!result)
		ret->errorNode = NULL;
	return result;
}

static cudaError_t take_over(struct session_graph *exec, const struct session_graph *g)
{
	cudaError_t result = cudaSuccess;

	for (uint32_t i = 0; i < g->nodes.n && !result; i++) {
		struct session_node *to = graphs_node_at(exec, i), old = *to;

		result = graphs_copy_content(to, graphs_node_at(g, i));
		if (!result)
			graphs_release_content(&old);
	}
	return result;
}

static cudaError_t update(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *ret)
{
	cudaGraphExecUpdateResultInfo info = { .result = cudaGraphExecUpdateError };
	cudaError_t result = cudaErrorInvalidValue;
	const struct session_graph *g;
	struct session_graph *to;

	device_lock();
	to = graphs_find(exec, true);
	g = graphs_find(graph, false);
	if (to && g) {
		info.result = compare(to, g, &info);
		result = info.result ? cudaErrorGraphExecUpdateFailure : take_over(to, g);
	}
	device_unlock();
	if (ret)
		*ret = info;
	return result;
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *ret)
{
	return CUDART_CALL(update(exec, graph, ret));
}
