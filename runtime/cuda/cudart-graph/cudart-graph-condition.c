/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conditional nodes of graphs. The value that a node looks at lies in device memory of the session,
 * at the address that is its handle: device code stores to it, and so it is rolled back and comes
 * back after a fault as other device memory does.
 */
#include "runtime/cuda/cudart-graph/cudart-graph-condition.h"

#include "runtime/cuda/cudart/cudart.h"
#include "runtime/cuda/graphs/graphs.h"

/* A new one with its memory. */
static cudaError_t condition_new(struct session_graph *g, uint32_t preset, uint32_t flags,
				 cudaGraphConditionalHandle *ret)
{
	struct ledger_request r =
		cudart_request("cudaGraphConditionalHandleCreate", sizeof(preset), BUFFER_MALLOC);
	uint64_t address;
	cudaError_t result = cudart_error(ledger_alloc(&r, &address));
	struct session_condition *c;

	if (result)
		return result;
	result = cudart_error(device.driver->cuMemsetD8(address, 0, sizeof(preset)));
	c = result ? NULL : session_append(&g->conditions, struct session_condition);
	if (!c) {
		ledger_free(ledger_find(address));
		return result ? result : cudaErrorMemoryAllocation;
	}
	*c = (struct session_condition){ address, preset, flags };
	*ret = address;
	return cudaSuccess;
}

/* A node of g itself, not of the graphs of its nodes. */
static bool has_node_of(const struct session_graph *g, cudaGraphConditionalHandle handle)
{
	for (uint32_t i = 0; i < g->nodes.n; i++)
		if (graphs_node_at(g, i)->kind == NODE_CONDITIONAL &&
		    graphs_node_at(g, i)->conditional.handle == handle)
			return true;
	return false;
}

cudaError_t cudart_graph_condition_check(cudaGraphConditionalHandle handle)
{
	bool used = false;

	for (uint32_t i = 0; i < device.session->graphs.n && !used; i++)
		used = has_node_of(graphs_at(i), handle);
	return !used && graphs_conditions_holder(NULL, handle) ? cudaSuccess
							       : cudaErrorInvalidValue;
}

bool cudart_graph_condition_is_in(const struct session_graph *g)
{
	bool found = false;

	for (uint32_t i = 0; i < g->nodes.n && !found; i++)
		found = graphs_node_at(g, i)->kind == NODE_CONDITIONAL;
	return found;
}

/* A node below g looks at it. */
static bool is_used(const struct session_graph *g, cudaGraphConditionalHandle handle)
{
	bool used = has_node_of(g, handle);

	for (uint32_t i = 0; i < g->nodes.n && !used; i++) {
		uint32_t n;
		struct session_graph *const *inner = graphs_inner(graphs_node_at(g, i), &n);

		for (uint32_t k = 0; k < n && !used; k++)
			used = is_used(inner[k], handle);
	}
	return used;
}

/* A body may have device work, and graphs of it. */
static bool may_be_in_body(const struct session_node *n)
{
	return n->kind <= NODE_FILL || n->kind == NODE_EMPTY || n->kind == NODE_CHILD ||
	       n->kind == NODE_CONDITIONAL;
}

static cudaError_t refuse(cudaGraphInstantiateParams *why, enum cudaGraphInstantiateResult result,
			  const struct session_node *n)
{
	why->result_out = result;
	why->errNode_out = (cudaGraphNode_t)n;
	return cudaErrorInvalidValue;
}

static cudaError_t check(const struct session_graph *g, bool in_body,
			 cudaGraphInstantiateParams *why)
{
	for (uint32_t i = 0; i < g->conditions.n; i++)
		if (!is_used(g, graphs_condition_at(g, i)->handle))
			return refuse(why, cudaGraphInstantiateConditionalHandleUnused, NULL);
	for (uint32_t i = 0; i < g->nodes.n; i++) {
		const struct session_node *n = graphs_node_at(g, i);
		uint32_t n_inner;
		struct session_graph *const *inner = graphs_inner(n, &n_inner);

		if (in_body && !may_be_in_body(n))
			return refuse(why, cudaGraphInstantiateNodeOperationNotSupported, n);
		for (uint32_t k = 0; k < n_inner; k++)
			if (check(inner[k], in_body || n->kind == NODE_CONDITIONAL, why))
				return cudaErrorInvalidValue;
	}
	return cudaSuccess;
}

cudaError_t cudart_graph_condition_check_bodies(const struct session_graph *g,
						cudaGraphInstantiateParams *why)
{
	/* Two executable graphs would share the values. */
	for (uint32_t i = 0; i < device.session->graphs.n && cudart_graph_condition_is_in(g); i++)
		if (graphs_at(i)->executable && graphs_at(i)->origin == g)
			return cudaErrorNotSupported;
	return check(g, false, why);
}

static cudaError_t new_handle(cudaGraphConditionalHandle *ret, cudaGraph_t graph, unsigned preset,
			      unsigned flags)
{
	struct session_graph *g;
	cudaError_t result = cudaErrorInvalidValue;

	if (!ret || flags & ~(unsigned)cudaGraphCondAssignDefault)
		return result;
	device_lock();
	g = graphs_find(graph, false);
	if (g)
		result = condition_new(g, preset, flags, ret);
	device_unlock();
	cudart_forget_note();
	return result;
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *ret, cudaGraph_t graph,
					     unsigned int preset, unsigned int flags)
{
	return CUDART_CALL(new_handle(ret, graph, preset, flags));
}
