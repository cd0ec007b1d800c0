/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conditional nodes of graphs. The value that a node looks at lies in device memory of the session,
 * at the address that is its handle: device code stores to it, and so it is rolled back and comes
 * back after a fault as other device memory does. Who launches a graph waits at such a node for
 * what is before it, reads the value and runs a body or none.
 */
#include "runtime/cuda/graphs/graphs.h"

#include "runtime/cuda/cudart/cudart.h"

static struct session_condition *condition_at(const struct session_graph *g, uint32_t i)
{
	return session_at(&g->conditions, struct session_condition, i);
}

static struct session_condition *find(const struct session_graph *g,
				      cudaGraphConditionalHandle handle)
{
	for (uint32_t i = 0; i < g->conditions.n; i++)
		if (condition_at(g, i)->handle == handle)
			return condition_at(g, i);
	return NULL;
}

static struct session_graph *graph_at(uint32_t i)
{
	return *session_at(&device.session->graphs, struct session_graph *, i);
}

/* Another graph that has this one; NULL: none has. */
static const struct session_graph *other_holder(const struct session_graph *g,
						cudaGraphConditionalHandle handle)
{
	for (uint32_t i = 0; i < device.session->graphs.n; i++)
		if (graph_at(i) != g && find(graph_at(i), handle))
			return graph_at(i);
	return NULL;
}

/* A new one with its memory. */
static cudaError_t graphs_condition_new(struct session_graph *g, uint32_t preset, uint32_t flags,
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

cudaError_t graphs_copy_conditions(struct session_graph *to, const struct session_graph *from)
{
	for (uint32_t i = 0; i < from->conditions.n; i++) {
		struct session_condition *c =
			session_append(&to->conditions, struct session_condition);

		if (!c)
			return cudaErrorMemoryAllocation;
		*c = *condition_at(from, i);
	}
	return cudaSuccess;
}

void graphs_release_conditions(struct session_graph *g)
{
	for (uint32_t i = 0; i < g->conditions.n; i++) {
		struct session_buffer *b = ledger_find(condition_at(g, i)->handle);

		if (b && !other_holder(g, condition_at(g, i)->handle))
			ledger_free(b);
	}
	session_array_clear(&g->conditions);
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

cudaError_t graphs_check_condition(cudaGraphConditionalHandle handle)
{
	bool used = false;

	for (uint32_t i = 0; i < device.session->graphs.n && !used; i++)
		used = has_node_of(graph_at(i), handle);
	return !used && other_holder(NULL, handle) ? cudaSuccess : cudaErrorInvalidValue;
}

bool graphs_is_conditional(const struct session_graph *g)
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

/* What may stand in a body: device work, and graphs of it. */
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
		if (!is_used(g, condition_at(g, i)->handle))
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

cudaError_t graphs_check_bodies(const struct session_graph *g, cudaGraphInstantiateParams *why)
{
	/* Two executable graphs would share the values. */
	for (uint32_t i = 0; i < device.session->graphs.n && graphs_is_conditional(g); i++)
		if (graph_at(i)->executable && graph_at(i)->origin == g)
			return cudaErrorNotSupported;
	return check(g, false, why);
}

cudaError_t graphs_preset(const struct session_graph *g, cudaStream_t stream)
{
	cudaError_t result = cudaSuccess;

	for (uint32_t i = 0; i < g->conditions.n && !result; i++) {
		const struct session_condition *c = condition_at(g, i);
		struct cudaMemsetParams fill = { .dst = (void *)(uintptr_t)c->handle,
						 .value = c->preset,
						 .elementSize = sizeof(c->preset),
						 .width = 1,
						 .height = 1 };

		if (c->flags & cudaGraphCondAssignDefault)
			result = cudart_fill(&fill, stream);
	}
	return result;
}

cudaError_t graphs_decide(const struct session_node *n, cudaStream_t stream,
			  const struct session_graph **ret)
{
	uint32_t value = 0, index = 0;
	CUstream s;
	cudaError_t result = cudart_stream(stream, &s);

	if (!result)
		result = cudart_error(device.driver->cuMemcpyAsync(
			(uintptr_t)&value, n->conditional.handle, sizeof(value), s));
	if (!result)
		result = cudart_error(device_synchronize_stream(s));
	if (result)
		return result;
	if (n->conditional.type == cudaGraphCondTypeSwitch)
		index = value;
	else if (!value)
		index = n->conditional.type == cudaGraphCondTypeIf ? 1 : UINT32_MAX;
	*ret = index < n->conditional.size ? n->conditional.bodies[index] : NULL;
	return cudaSuccess;
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
		result = graphs_condition_new(g, preset, flags, ret);
	device_unlock();
	cudart_forget_note();
	return result;
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *ret, cudaGraph_t graph,
					     unsigned int preset, unsigned int flags)
{
	return CUDART_CALL(new_handle(ret, graph, preset, flags));
}
