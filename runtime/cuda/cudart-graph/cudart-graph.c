/* SPDX-License-Identifier: Apache-2.0 */
/* Runtime API, chapter Graph Management: graphs as a whole, from their making to their launch.
 * Nodes: cudart-graph-node.c. */
#include "runtime/cuda/cudart/cudart.h"

#include "runtime/cuda/cudart-graph/cudart-graph-condition.h"
#include "runtime/cuda/cudart-graph/graph-run.h"
#include "runtime/cuda/graphs/graphs.h"
#include "runtime/cuda/session/capture.h"

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
	return result ? result : cudart_end_objects();
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
	return CUDART_CALL(destroy(graph, false));
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
	return CUDART_CALL(destroy(exec, true));
}

/* A copy of a graph; the lock is held. why: of an executable one, where it is told in more words
 * why there is none. */
static cudaError_t duplicate(struct session_graph **ret, const struct session_graph *from,
			     bool executable, cudaGraphInstantiateParams *why)
{
	struct session_graph *g = graphs_new(executable);
	cudaError_t result = g ? graphs_copy_nodes(g, from) : cudaErrorMemoryAllocation;

	if (!result && executable) {
		result = graphs_order_make(g);
		if (result == cudaErrorInvalidValue)
			why->result_out = cudaGraphInstantiateInvalidStructure;
	}
	if (!result)
		*ret = g;
	else if (g)
		graphs_free(g);
	return result;
}

static cudaError_t instantiate_with_params(cudaGraphExec_t *ret, cudaGraph_t graph,
					   cudaGraphInstantiateParams *p)
{
	const struct session_graph *from;
	struct session_graph *g = NULL;
	cudaError_t result = cudaErrorInvalidValue;

	if (!ret || !p || p->flags & ~15ull)
		return result;
	p->errNode_out = NULL;
	p->result_out = cudaGraphInstantiateError;
	device_lock();
	from = graphs_find(graph, false);
	if (from)
		result = cudart_graph_condition_check_bodies(from, p);
	if (!result)
		result = duplicate(&g, from, true, p);
	device_unlock();
	if (result)
		return result;
	g->flags = p->flags;
	p->result_out = cudaGraphInstantiateSuccess;
	*ret = (cudaGraphExec_t)g;
	return cudaSuccess;
}

static cudaError_t instantiate(cudaGraphExec_t *ret, cudaGraph_t graph, unsigned long long flags)
{
	return instantiate_with_params(ret, graph, &(cudaGraphInstantiateParams){ .flags = flags });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *ret, cudaGraph_t graph, unsigned long long flags)
{
	return CUDART_CALL(instantiate(ret, graph, flags));
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *ret, cudaGraph_t graph,
					  unsigned long long flags)
{
	return CUDART_CALL(instantiate(ret, graph, flags));
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *ret, cudaGraph_t graph,
					   cudaGraphInstantiateParams *p)
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

static cudaError_t clone(cudaGraph_t *ret, cudaGraph_t graph)
{
	const struct session_graph *from;
	struct session_graph *g = NULL;
	cudaError_t result = cudaErrorInvalidValue;

	if (!ret)
		return result;
	device_lock();
	from = graphs_find(graph, false);
	if (from)
		result = cudart_graph_condition_is_in(from) ? cudaErrorNotSupported
							    : duplicate(&g, from, false, NULL);
	device_unlock();
	if (!result)
		*ret = (cudaGraph_t)g;
	return result;
}

cudaError_t cudaGraphClone(cudaGraph_t *ret, cudaGraph_t graph)
{
	return CUDART_CALL(clone(ret, graph));
}

static cudaError_t launch(cudaGraphExec_t exec, cudaStream_t stream)
{
	const struct session_graph *g = graphs_find(exec, true);
	CUstream s;
	cudaError_t result = g ? cudaSuccess : cudaErrorInvalidValue;

	if (!result && !capture_find(stream))
		result = cudart_stream(stream, &s);
	else if (!result && cudart_graph_condition_is_in(g))
		result = cudaErrorStreamCaptureUnsupported;
	return result ? result : graph_run(g, stream);
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
static bool same_topology(const struct session_graph *exec, const struct session_graph *g,
			  cudaGraphExecUpdateResultInfo *ret)
{
	if (exec->nodes.n != g->nodes.n)
		return false;
	for (uint32_t i = 0; i < g->nodes.n; i++) {
		const struct session_node *to = graphs_node_at(exec, i),
					  *from = graphs_node_at(g, i);

		ret->errorNode = (cudaGraphNode_t)from;
		if (to->deps.n != from->deps.n)
			return false;
		for (uint32_t k = 0; k < from->deps.n; k++) {
			struct session_node *on =
				*session_at(&from->deps, struct session_node *, k);

			ret->errorFromNode = (cudaGraphNode_t)on;
			if (!graphs_depends(to, graphs_node_at(exec, on->number)))
				return false;
		}
		ret->errorFromNode = NULL;
	}
	ret->errorNode = NULL;
	return true;
}

static enum cudaGraphExecUpdateResult compare(const struct session_graph *exec,
					      const struct session_graph *g,
					      cudaGraphExecUpdateResultInfo *ret);

static enum cudaGraphExecUpdateResult compare_inner(const struct session_node *to,
						    const struct session_node *from,
						    cudaGraphExecUpdateResultInfo *ret)
{
	enum cudaGraphExecUpdateResult result = cudaGraphExecUpdateSuccess;
	uint32_t n, n_from;
	struct session_graph *const *inner = graphs_inner(to, &n), *const *inner_from =
									   graphs_inner(from,
											&n_from);

	if (n != n_from ||
	    (to->kind == NODE_CONDITIONAL && to->conditional.type != from->conditional.type))
		return cudaGraphExecUpdateErrorParametersChanged;
	for (uint32_t i = 0; i < n && !result; i++)
		result = compare(inner[i], inner_from[i], ret);
	return result;
}

/* Why the graph's nodes cannot take the place of the executable one's. */
static enum cudaGraphExecUpdateResult compare(const struct session_graph *exec,
					      const struct session_graph *g,
					      cudaGraphExecUpdateResultInfo *ret)
{
	enum cudaGraphExecUpdateResult result = cudaGraphExecUpdateSuccess;

	if (!same_topology(exec, g, ret))
		return cudaGraphExecUpdateErrorTopologyChanged;
	for (uint32_t i = 0; i < g->nodes.n && !result; i++) {
		const struct session_node *to = graphs_node_at(exec, i),
					  *from = graphs_node_at(g, i);

		ret->errorNode = (cudaGraphNode_t)from;
		if (graphs_type(to) != graphs_type(from))
			result = cudaGraphExecUpdateErrorNodeTypeChanged;
		else if (to->device != from->device)
			result = cudaGraphExecUpdateErrorParametersChanged;
		else if (to->kind == NODE_ALLOC || to->kind == NODE_FREE)
			result = cudaGraphExecUpdateErrorNotSupported;
		else
			result = compare_inner(to, from, ret);
	}
	if (!result)
		ret->errorNode = NULL;
	return result;
}

static cudaError_t take_over(struct session_graph *exec, const struct session_graph *g)
{
	struct session_graph before = { .conditions = exec->conditions };
	cudaError_t result;

	exec->conditions = (struct session_array){ 0 };
	result = graphs_conditions_copy(exec, g);
	graphs_conditions_release(&before);

	for (uint32_t i = 0; i < g->nodes.n && !result; i++) {
		struct session_node *to = graphs_node_at(exec, i), old = *to;

		result = graphs_copy_content(to, graphs_node_at(g, i));
		if (!result)
			graphs_release_content(&old);
	}
	return result;
}

static cudaError_t update(cudaGraphExec_t exec, cudaGraph_t graph,
			  cudaGraphExecUpdateResultInfo *ret)
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

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
				cudaGraphExecUpdateResultInfo *ret)
{
	return CUDART_CALL(update(exec, graph, ret));
}
