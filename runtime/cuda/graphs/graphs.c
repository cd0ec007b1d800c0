/* SPDX-License-Identifier: Apache-2.0 */
/* The tables behind cudaGraph_t: nodes know their graph, their place in it and what they depend on.
 */
#include "runtime/cuda/graphs/graphs.h"

#include <string.h>

#include "runtime/cuda/code/device-code.h"
#include "runtime/cuda/driver/device-state.h"
#include "runtime/cuda/memory/ledger.h"
#include "runtime/cuda/session/capture.h"

struct session_graph *graphs_find(const void *handle, bool executable)
{
	struct session_graph *g = (struct session_graph *)handle;

	return session_index_of(&device.session->graphs, handle) >= 0 && g->executable == executable
		       ? g
		       : NULL;
}

struct session_node *graphs_node(cudaGraphNode_t node)
{
	const struct session_array *a = &device.session->graphs;

	for (uint32_t i = 0; i < a->n; i++) {
		const struct session_graph *g = *session_at(a, struct session_graph *, i);

		if (!g->executable && session_index_of(&g->nodes, node) >= 0)
			return (struct session_node *)node;
	}
	return NULL;
}

struct session_graph *const *graphs_inner(const struct session_node *n, uint32_t *ret_n)
{
	*ret_n = n->kind == NODE_CHILD ? 1 : n->kind == NODE_CONDITIONAL ? n->conditional.size : 0;
	return n->kind == NODE_CHILD ? &n->child : n->conditional.bodies;
}

struct session_node *graphs_copy_of(const struct session_graph *g,
				    const struct session_node *origin)
{
	struct session_node *found = NULL;

	for (uint32_t i = 0; i < g->nodes.n && !found; i++) {
		struct session_node *n = graphs_node_at(g, i);

		uint32_t n_inner;
		struct session_graph *const *inner = graphs_inner(n, &n_inner);

		if (n->origin == origin)
			found = n;
		for (uint32_t k = 0; k < n_inner && !found; k++)
			found = graphs_copy_of(inner[k], origin);
	}
	return found;
}

struct session_graph *graphs_new(bool executable)
{
	struct session_graph *g = device.host->session_alloc(sizeof(*g)), **slot;

	if (!g)
		return NULL;
	*g = (struct session_graph){ .executable = executable };
	slot = session_append(&device.session->graphs, struct session_graph *);
	if (slot)
		*slot = g;
	else
		device.host->session_free(g);
	return slot ? g : NULL;
}

/* Another graph, or an executable one, has a node of the same memory. */
static bool is_shared(const struct session_node *n)
{
	const struct session_array *a = &device.session->graphs;

	for (uint32_t i = 0; i < a->n; i++) {
		const struct session_graph *g = *session_at(a, struct session_graph *, i);

		for (uint32_t k = 0; k < g->nodes.n; k++) {
			const struct session_node *other = graphs_node_at(g, k);

			if (other != n && other->kind == NODE_ALLOC &&
			    other->memory.address == n->memory.address)
				return true;
		}
	}
	return false;
}

/* Memory that is freed, by a node or by the program, goes when no graph can give it back any more.
 */
static void release_memory(struct session_node *n)
{
	struct session_buffer *b = ledger_find((uintptr_t)n->memory.address);
	bool freed = n->memory.freed;

	for (uint32_t i = 0; i < n->graph->nodes.n; i++) {
		const struct session_node *other = graphs_node_at(n->graph, i);

		freed |= other->kind == NODE_FREE && other->memory.address == n->memory.address;
	}
	if (b && freed && !is_shared(n))
		ledger_free(b);
}

void graphs_release_content(struct session_node *n)
{
	if (n->kind == NODE_LAUNCH) {
		device.host->session_free(n->launch.name);
		if (n->launch.args)
			device.host->session_free(n->launch.args);
		if (n->launch.pointers)
			device.host->session_free(n->launch.pointers);
	} else if (n->kind == NODE_CHILD) {
		graphs_free(n->child);
	} else if (n->kind == NODE_CONDITIONAL) {
		for (uint32_t i = 0; i < n->conditional.size; i++)
			graphs_free(n->conditional.bodies[i]);
		device.host->session_free(n->conditional.bodies);
	}
}

void graphs_free(struct session_graph *g)
{
	for (uint32_t i = 0; i < g->nodes.n; i++)
		if (graphs_node_at(g, i)->kind == NODE_ALLOC)
			release_memory(graphs_node_at(g, i));
	for (uint32_t i = 0; i < g->nodes.n; i++) {
		struct session_node *n = graphs_node_at(g, i);

		graphs_release_content(n);
		session_array_clear(&n->deps);
		device.host->session_free(n);
	}
	session_array_clear(&g->nodes);
	graphs_order_release(g);
	graphs_conditions_release(g);
	graphs_objects_release(g);
	for (uint32_t i = 0; i < device.session->graphs.n; i++) {
		struct session_graph *copy =
			*session_at(&device.session->graphs, struct session_graph *, i);

		if (copy->origin == g)
			copy->origin = NULL;
	}
	session_remove(&device.session->graphs, sizeof(void *),
		       (uint32_t)session_index_of(&device.session->graphs, g));
	device.host->session_free(g);
}

void graphs_reset(void)
{
	for (uint32_t i = device.session->graphs.n; i-- > 0;) {
		struct session_graph *g =
			*session_at(&device.session->graphs, struct session_graph *, i);

		/* Graphs that nodes own go with these. */
		if (!g->owned) {
			graphs_free(g);
			i = device.session->graphs.n;
		}
	}
}

cudaError_t graphs_depend(struct session_node *n, struct session_node *on)
{
	struct session_node **slot;

	if (graphs_depends(n, on))
		return cudaSuccess;
	slot = session_append(&n->deps, struct session_node *);
	if (slot)
		*slot = on;
	return slot ? cudaSuccess : cudaErrorMemoryAllocation;
}

bool graphs_depends(const struct session_node *n, const struct session_node *on)
{
	return session_index_of(&n->deps, on) >= 0;
}

cudaError_t graphs_add(struct session_graph *g, const struct session_node *n,
		       struct session_node *const *deps, size_t n_deps, struct session_node **ret)
{
	struct session_node *copy = device.host->session_alloc(sizeof(*copy)), **slot = NULL;
	cudaError_t result = cudaSuccess;

	if (!copy)
		return cudaErrorMemoryAllocation;
	*copy = *n;
	copy->graph = g;
	copy->device = device_current();
	copy->number = g->nodes.n;
	copy->deps = (struct session_array){ 0 };
	for (size_t i = 0; i < n_deps && !result; i++)
		result = graphs_depend(copy, deps[i]);
	if (!result)
		slot = session_append(&g->nodes, struct session_node *);
	if (!slot) {
		session_array_clear(&copy->deps);
		device.host->session_free(copy);
		return cudaErrorMemoryAllocation;
	}
	*slot = copy;
	if (ret)
		*ret = copy;
	return cudaSuccess;
}

void graphs_remove(struct session_node *n)
{
	struct session_graph *g = n->graph;

	for (uint32_t i = 0; i < g->nodes.n; i++) {
		struct session_node *other = graphs_node_at(g, i);
		int64_t at = session_index_of(&other->deps, n);

		if (at >= 0)
			session_remove(&other->deps, sizeof(void *), (uint32_t)at);
		if (other->number > n->number)
			other->number--;
	}
	session_remove(&g->nodes, sizeof(void *), n->number);
	graphs_release_content(n);
	session_array_clear(&n->deps);
	device.host->session_free(n);
}

/* As it is defined now. */
struct session_kernel *graphs_kernel(const struct session_launch *l)
{
	return l->name[0] ? device_code_kernel(l->name) : device_code_kernel_at(l->stub);
}

/* The bytes of the arguments, one behind the other at the offsets that the kernel has them at. */
static cudaError_t copy_args(struct session_kernel *kernel, void **args, struct session_launch *ret)
{
	size_t offset, size, end = 0;
	CUfunction f;
	cudaError_t result = (cudaError_t)device_note(device_code_function(kernel, &f));

	ret->args = NULL;
	for (uint32_t pass = 0; pass < 2 && !result; pass++) {
		for (ret->n_args = 0; ret->n_args < GRAPHS_PARAMETERS_MAX; ret->n_args++) {
			if (device.driver->cuFuncGetParamInfo(f, ret->n_args, &offset, &size))
				break;
			if (offset + size > end)
				end = offset + size;
			if (pass)
				memcpy(ret->args + offset, args[ret->n_args], size);
		}
		if (pass || !ret->n_args)
			break;
		if (!args)
			return cudaErrorInvalidValue;
		ret->args = device.host->session_alloc(end);
		if (!ret->args)
			result = cudaErrorMemoryAllocation;
	}
	return result;
}

cudaError_t graphs_launch_init(struct session_launch *l, struct session_kernel *kernel, void **args)
{
	cudaError_t result = kernel ? copy_args(kernel, args, l) : cudaErrorInvalidDeviceFunction;

	if (result)
		return result;
	l->stub = kernel->stub;
	l->pointers = NULL;
	l->name = session_strdup(kernel->name);
	if (l->name)
		return cudaSuccess;
	if (l->args)
		device.host->session_free(l->args);
	return cudaErrorMemoryAllocation;
}

cudaError_t graphs_launch_args(const struct session_launch *l, struct session_kernel *kernel,
			       void **ret)
{
	size_t offset, size;
	CUfunction f;
	cudaError_t result = (cudaError_t)device_note(device_code_function(kernel, &f));

	for (uint32_t i = 0; i < l->n_args && !result; i++) {
		/* The kernel was defined anew, with other parameters. */
		if (device.driver->cuFuncGetParamInfo(f, i, &offset, &size))
			return cudaErrorInvalidDeviceFunction;
		ret[i] = l->args + offset;
	}
	return result;
}

static cudaError_t copy_launch(struct session_launch *to, const struct session_launch *from)
{
	struct session_kernel *kernel = graphs_kernel(from);
	void *args[GRAPHS_PARAMETERS_MAX];
	cudaError_t result =
		kernel ? graphs_launch_args(from, kernel, args) : cudaErrorInvalidDeviceFunction;

	*to = *from;
	return result ? result : graphs_launch_init(to, kernel, args);
}

static cudaError_t copy_child(struct session_graph **to, const struct session_graph *from,
			      bool executable)
{
	cudaError_t result = cudaErrorMemoryAllocation;

	*to = graphs_new(executable);
	if (*to) {
		(*to)->owned = true;
		result = graphs_copy_nodes(*to, from);
	}
	if (!result && executable)
		result = graphs_order_make(*to);
	if (result && *to)
		graphs_free(*to);
	return result;
}

static cudaError_t copy_bodies(struct session_node *to, const struct session_node *from,
			       bool executable)
{
	uint32_t size = from->conditional.size;
	cudaError_t result = cudaSuccess;

	to->conditional.size = 0;
	to->conditional.bodies = device.host->session_alloc(size * sizeof(*to->conditional.bodies));
	if (!to->conditional.bodies)
		return cudaErrorMemoryAllocation;
	for (uint32_t i = 0; i < size && !result; i++) {
		result = copy_child(&to->conditional.bodies[i], from->conditional.bodies[i],
				    executable);
		to->conditional.size += !result;
	}
	if (result)
		graphs_release_content(to);
	return result;
}

cudaError_t graphs_copy_content(struct session_node *to, const struct session_node *from)
{
	struct session_node made = *from;
	cudaError_t result = cudaSuccess;

	if (from->kind == NODE_LAUNCH)
		result = copy_launch(&made.launch, &from->launch);
	else if (from->kind == NODE_CHILD)
		result = copy_child(&made.child, from->child, to->graph->executable);
	else if (from->kind == NODE_CONDITIONAL)
		result = copy_bodies(&made, from, to->graph->executable);
	if (result)
		return result;
	made.graph = to->graph;
	made.number = to->number;
	made.deps = to->deps;
	made.origin = from;
	made.disabled = to->disabled;
	*to = made;
	return cudaSuccess;
}

cudaError_t graphs_copy_nodes(struct session_graph *to, const struct session_graph *from)
{
	cudaError_t result = graphs_conditions_copy(to, from);

	to->origin = from;
	if (!result)
		result = graphs_objects_copy(to, from);

	for (uint32_t i = 0; i < from->nodes.n && !result; i++) {
		struct session_node *copy;

		result = graphs_add(to, &(struct session_node){ .kind = NODE_EMPTY }, NULL, 0,
				    &copy);
		if (!result)
			result = graphs_copy_content(copy, graphs_node_at(from, i));
	}
	for (uint32_t i = 0; i < from->nodes.n && !result; i++) {
		const struct session_node *n = graphs_node_at(from, i);

		for (uint32_t k = 0; k < n->deps.n && !result; k++)
			result = graphs_depend(
				graphs_node_at(to, i),
				graphs_node_at(
					to,
					(*session_at(&n->deps, struct session_node *, k))->number));
	}
	return result;
}

bool graphs_have_memory(uint64_t address)
{
	const struct session_array *a = &device.session->graphs;

	for (uint32_t i = 0; i < a->n; i++) {
		const struct session_graph *g = *session_at(a, struct session_graph *, i);

		for (uint32_t k = 0; k < g->nodes.n; k++)
			if (graphs_node_at(g, k)->kind == NODE_ALLOC &&
			    (uintptr_t)graphs_node_at(g, k)->memory.address == address)
				return true;
	}
	return false;
}

bool graphs_free_memory(const void *p)
{
	const struct session_array *a = &device.session->graphs;
	bool found = false;

	for (uint32_t i = 0; i < a->n; i++) {
		const struct session_graph *g = *session_at(a, struct session_graph *, i);

		for (uint32_t k = 0; k < g->nodes.n; k++) {
			struct session_node *n = graphs_node_at(g, k);

			if (n->kind == NODE_ALLOC && n->memory.address == p)
				n->memory.freed = found = true;
		}
	}
	return found;
}

cudaError_t graphs_capture(struct session_stream *s, const struct session_node *n)
{
	struct session_node *made;
	cudaError_t result;

	device_lock();
	result = s->capture->spoilt ? cudaErrorStreamCaptureInvalidated
				    : graphs_add(s->capture, n, s->last.items, s->last.n, &made);
	if (!result) {
		made->device = s->device;
		session_array_clear(&s->last);
		result = capture_add_last(&s->last, made);
	} else {
		graphs_release_content((struct session_node *)n);
	}
	device_unlock();
	return result;
}

cudaError_t graphs_capture_launch(struct session_stream *s, struct session_kernel *kernel,
				  const struct session_launch *l, void **args)
{
	struct session_node n = { .kind = NODE_LAUNCH, .launch = *l };
	cudaError_t result;

	device_lock();
	result = graphs_launch_init(&n.launch, kernel, args);
	device_unlock();
	return result ? result : graphs_capture(s, &n);
}

enum cudaGraphNodeType graphs_type(const struct session_node *n)
{
	static const enum cudaGraphNodeType types[] = {
		[NODE_LAUNCH] = cudaGraphNodeTypeKernel,
		[NODE_COPY] = cudaGraphNodeTypeMemcpy,
		[NODE_COPY_3D] = cudaGraphNodeTypeMemcpy,
		[NODE_FILL] = cudaGraphNodeTypeMemset,
		[NODE_HOST] = cudaGraphNodeTypeHost,
		[NODE_EMPTY] = cudaGraphNodeTypeEmpty,
		[NODE_CHILD] = cudaGraphNodeTypeGraph,
		[NODE_RECORD] = cudaGraphNodeTypeEventRecord,
		[NODE_WAIT] = cudaGraphNodeTypeWaitEvent,
		[NODE_ALLOC] = cudaGraphNodeTypeMemAlloc,
		[NODE_FREE] = cudaGraphNodeTypeMemFree,
		[NODE_CONDITIONAL] = cudaGraphNodeTypeConditional,
	};

	return types[n->kind];
}
