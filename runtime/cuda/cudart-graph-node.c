/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runtime API, chapter Graph Management: nodes and their parameters. Each kind has one function that makes a node of what the
 * manual calls its parameters; the node is then added to a graph, or takes the place of another one's content.
 */
#include "runtime/cuda/cudart.h"

#include "runtime/cuda/device-code.h"
#include "runtime/cuda/graphs.h"
#include "runtime/cuda/handles.h"

enum cudaGraphNodeType graphs_type(const struct session_node *n)
{
	static const enum cudaGraphNodeType types[] = {
		[NODE_LAUNCH] = cudaGraphNodeTypeKernel, [NODE_COPY] = cudaGraphNodeTypeMemcpy,
		[NODE_COPY_3D] = cudaGraphNodeTypeMemcpy, [NODE_FILL] = cudaGraphNodeTypeMemset,
		[NODE_HOST] = cudaGraphNodeTypeHost, [NODE_EMPTY] = cudaGraphNodeTypeEmpty,
		[NODE_CHILD] = cudaGraphNodeTypeGraph, [NODE_RECORD] = cudaGraphNodeTypeEventRecord,
		[NODE_WAIT] = cudaGraphNodeTypeWaitEvent, [NODE_ALLOC] = cudaGraphNodeTypeMemAlloc,
		[NODE_FREE] = cudaGraphNodeTypeMemFree,
	};

	return types[n->kind];
}

/* Where a new node goes. */
struct place {
	cudaGraphNode_t *ret;
	cudaGraph_t graph;
	const cudaGraphNode_t *deps;
	size_t n_deps;
};

/* made: what making the node has resulted in. Takes what n points at. */
static cudaError_t add(const struct place *p, const struct session_node *n, cudaError_t made)
{
	struct session_node *node;
	struct session_graph *g;
	cudaError_t result = made;

	if (made)
		return made;
	device_lock();
	g = graphs_find(p->graph, false);
	if (!g || !p->ret || (p->n_deps && !p->deps))
		result = cudaErrorInvalidValue;
	for (size_t i = 0; i < p->n_deps && !result; i++) {
		const struct session_node *on = graphs_node(p->deps[i]);

		result = on && on->graph == g ? cudaSuccess : cudaErrorInvalidValue;
	}
	if (!result)
		result = graphs_add(g, n, (struct session_node *const *)p->deps, p->n_deps, &node);
	if (result)
		graphs_release_content((struct session_node *)n);
	else
		*p->ret = (cudaGraphNode_t)node;
	device_unlock();
	return result;
}

/* exec NULL: the node itself, otherwise its copy there. */
static struct session_node *target(cudaGraphExec_t exec, cudaGraphNode_t node)
{
	const struct session_graph *g = exec ? graphs_find(exec, true) : NULL;
	struct session_node *n = graphs_node(node);

	return !n || (exec && !g) ? NULL : exec ? graphs_copy_of(g, n) : n;
}

/* Takes what `content` points at. */
static cudaError_t set(cudaGraphExec_t exec, cudaGraphNode_t node, const struct session_node *content, cudaError_t made)
{
	cudaError_t result = made;
	struct session_node *to, old;

	if (made)
		return made;
	device_lock();
	to = target(exec, node);
	if (!to || graphs_type(to) != graphs_type(content)) {
		result = cudaErrorInvalidValue;
		graphs_release_content((struct session_node *)content);
	} else {
		old = *to;
		*to = *content;
		to->graph = old.graph;
		to->number = old.number;
		to->deps = old.deps;
		to->origin = old.origin;
		to->disabled = old.disabled;
		to->ordered = old.ordered;
		graphs_release_content(&old);
	}
	device_unlock();
	return result;
}

/* The node of this type; NULL: it is none, or there is nowhere to answer to. */
static struct session_node *get(cudaGraphNode_t node, enum cudaGraphNodeType type, const void *ret)
{
	struct session_node *n = ret ? graphs_node(node) : NULL;

	return n && graphs_type(n) == type ? n : NULL;
}

static cudaError_t make_launch(struct session_node *n, const struct cudaKernelNodeParams *p)
{
	cudaError_t result;

	if (!p || p->extra)
		return p ? cudaErrorNotSupported : cudaErrorInvalidValue;
	*n = (struct session_node){ .kind = NODE_LAUNCH };
	n->launch.grid = p->gridDim;
	n->launch.block = p->blockDim;
	n->launch.shared = p->sharedMemBytes;
	device_lock();
	result = graphs_launch_init(&n->launch, device_code_entry_at(p->func), p->kernelParams);
	device_unlock();
	return result;
}

static cudaError_t make_copy(struct session_node *n, void *dst, const void *src, size_t size, enum cudaMemcpyKind kind)
{
	*n = (struct session_node){ .kind = NODE_COPY, .copy = { dst, src, size, kind } };
	return dst && src && (unsigned)kind <= cudaMemcpyDefault ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t make_copy_3d(struct session_node *n, const struct cudaMemcpy3DParms *p)
{
	if (!p)
		return cudaErrorInvalidValue;
	*n = (struct session_node){ .kind = NODE_COPY_3D, .copy_3d = *p };
	return cudaSuccess;
}

static cudaError_t make_symbol_copy(struct session_node *n, void *other, const void *symbol, size_t size, size_t offset,
				    enum cudaMemcpyKind kind, bool to_symbol)
{
	void *at;
	cudaError_t result = cudart_symbol_range(symbol, offset, size, &at);

	return result ? result : to_symbol ? make_copy(n, at, other, size, kind) : make_copy(n, other, at, size, kind);
}

static cudaError_t make_fill(struct session_node *n, const struct cudaMemsetParams *p)
{
	if (!p || (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4))
		return cudaErrorInvalidValue;
	*n = (struct session_node){ .kind = NODE_FILL, .fill = *p };
	return cudaSuccess;
}

static cudaError_t make_host(struct session_node *n, const struct cudaHostNodeParams *p)
{
	if (!p || !p->fn)
		return cudaErrorInvalidValue;
	*n = (struct session_node){ .kind = NODE_HOST, .host = *p };
	return cudaSuccess;
}

static cudaError_t make_child(struct session_node *n, cudaGraph_t graph, bool executable)
{
	const struct session_graph *from;
	struct session_node template = { .kind = NODE_CHILD };
	struct session_graph holder = { .executable = executable };
	cudaError_t result = cudaErrorInvalidValue;

	*n = (struct session_node){ .kind = NODE_EMPTY, .graph = &holder };
	device_lock();
	from = graphs_find(graph, false);
	if (from) {
		template.child = (struct session_graph *)from;
		result = graphs_copy_content(n, &template);
		n->origin = NULL;
	}
	device_unlock();
	return result;
}

static cudaError_t make_event(struct session_node *n, enum session_node_kind kind, cudaEvent_t event)
{
	*n = (struct session_node){ .kind = kind, .event = event };
	return handles_event_look(event) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

/* Parameter lists that are the same for each kind of node. */
#define PLACE cudaGraphNode_t *ret, cudaGraph_t graph, const cudaGraphNode_t *deps, size_t n_deps
#define AT (&(struct place){ ret, graph, deps, n_deps })
#define MADE(expression)                    \
	struct session_node n;              \
	cudaError_t made = (expression)

static cudaError_t add_launch(const struct place *p, const struct cudaKernelNodeParams *params)
{
	MADE(make_launch(&n, params));

	return add(p, &n, made);
}

cudaError_t cudaGraphAddKernelNode(PLACE, const struct cudaKernelNodeParams *p)
{
	return CUDART_CALL(add_launch(AT, p));
}

static cudaError_t set_launch(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaKernelNodeParams *p)
{
	MADE(make_launch(&n, p));

	return set(exec, node, &n, made);
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const struct cudaKernelNodeParams *p)
{
	return CUDART_CALL(set_launch(NULL, node, p));
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaKernelNodeParams *p)
{
	return CUDART_CALL(exec ? set_launch(exec, node, p) : cudaErrorInvalidValue);
}

/* The array of pointers to the arguments is the node's. */
static cudaError_t get_launch(cudaGraphNode_t node, struct cudaKernelNodeParams *ret)
{
	struct session_node *n = get(node, cudaGraphNodeTypeKernel, ret);
	struct session_launch *l = n ? &n->launch : NULL;
	struct session_entry *e;
	cudaError_t result = cudaSuccess;

	if (!l)
		return cudaErrorInvalidValue;
	device_lock();
	e = graphs_entry(l);
	if (!l->pointers && l->n_args)
		l->pointers = device.host->session_alloc(l->n_args * sizeof(void *));
	if (!e)
		result = cudaErrorInvalidDeviceFunction;
	else if (l->n_args)
		result = l->pointers ? graphs_launch_args(l, e, l->pointers) : cudaErrorMemoryAllocation;
	device_unlock();
	if (!result)
		*ret = (struct cudaKernelNodeParams){ e->stub, l->grid, l->block, (unsigned)l->shared, l->pointers, NULL };
	return result;
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *ret)
{
	return CUDART_CALL(get_launch(node, ret));
}

static cudaError_t add_copy_3d(const struct place *p, const struct cudaMemcpy3DParms *params)
{
	MADE(make_copy_3d(&n, params));

	return add(p, &n, made);
}

cudaError_t cudaGraphAddMemcpyNode(PLACE, const struct cudaMemcpy3DParms *p)
{
	return CUDART_CALL(add_copy_3d(AT, p));
}

static cudaError_t set_copy_3d(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaMemcpy3DParms *p)
{
	MADE(make_copy_3d(&n, p));

	return set(exec, node, &n, made);
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const struct cudaMemcpy3DParms *p)
{
	return CUDART_CALL(set_copy_3d(NULL, node, p));
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaMemcpy3DParms *p)
{
	return CUDART_CALL(exec ? set_copy_3d(exec, node, p) : cudaErrorInvalidValue);
}

static cudaError_t get_copy(cudaGraphNode_t node, struct cudaMemcpy3DParms *ret)
{
	const struct session_node *n = get(node, cudaGraphNodeTypeMemcpy, ret);

	if (!n)
		return cudaErrorInvalidValue;
	if (n->kind == NODE_COPY_3D) {
		*ret = n->copy_3d;
		return cudaSuccess;
	}
	*ret = (struct cudaMemcpy3DParms){
		.srcPtr = { (void *)n->copy.src, n->copy.size, n->copy.size, 1 },
		.dstPtr = { n->copy.dst, n->copy.size, n->copy.size, 1 },
		.extent = { n->copy.size, 1, 1 },
		.kind = n->copy.kind,
	};
	return cudaSuccess;
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, struct cudaMemcpy3DParms *ret)
{
	return CUDART_CALL(get_copy(node, ret));
}

static cudaError_t add_copy(const struct place *p, void *dst, const void *src, size_t size, enum cudaMemcpyKind kind)
{
	MADE(make_copy(&n, dst, src, size, kind));

	return add(p, &n, made);
}

cudaError_t cudaGraphAddMemcpyNode1D(PLACE, void *dst, const void *src, size_t size, enum cudaMemcpyKind kind)
{
	return CUDART_CALL(add_copy(AT, dst, src, size, kind));
}

static cudaError_t set_copy(cudaGraphExec_t exec, cudaGraphNode_t node, void *dst, const void *src, size_t size,
			    enum cudaMemcpyKind kind)
{
	MADE(make_copy(&n, dst, src, size, kind));

	return set(exec, node, &n, made);
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *dst, const void *src, size_t size,
					   enum cudaMemcpyKind kind)
{
	return CUDART_CALL(set_copy(NULL, node, dst, src, size, kind));
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *dst, const void *src,
					       size_t size, enum cudaMemcpyKind kind)
{
	return CUDART_CALL(exec ? set_copy(exec, node, dst, src, size, kind) : cudaErrorInvalidValue);
}

static cudaError_t add_symbol_copy(const struct place *p, void *other, const void *symbol, size_t size, size_t offset,
				   enum cudaMemcpyKind kind, bool to_symbol)
{
	MADE(make_symbol_copy(&n, other, symbol, size, offset, kind, to_symbol));

	return add(p, &n, made);
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(PLACE, const void *symbol, const void *src, size_t size, size_t offset,
					   enum cudaMemcpyKind kind)
{
	return CUDART_CALL(add_symbol_copy(AT, (void *)src, symbol, size, offset, kind, true));
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(PLACE, void *dst, const void *symbol, size_t size, size_t offset,
					     enum cudaMemcpyKind kind)
{
	return CUDART_CALL(add_symbol_copy(AT, dst, symbol, size, offset, kind, false));
}

static cudaError_t set_symbol_copy(cudaGraphExec_t exec, cudaGraphNode_t node, void *other, const void *symbol, size_t size,
				   size_t offset, enum cudaMemcpyKind kind, bool to_symbol)
{
	MADE(make_symbol_copy(&n, other, symbol, size, offset, kind, to_symbol));

	return set(exec, node, &n, made);
}

cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void *symbol, const void *src, size_t size,
						 size_t offset, enum cudaMemcpyKind kind)
{
	return CUDART_CALL(set_symbol_copy(NULL, node, (void *)src, symbol, size, offset, kind, true));
}

cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *dst, const void *symbol, size_t size,
						   size_t offset, enum cudaMemcpyKind kind)
{
	return CUDART_CALL(set_symbol_copy(NULL, node, dst, symbol, size, offset, kind, false));
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node, const void *symbol,
						     const void *src, size_t size, size_t offset, enum cudaMemcpyKind kind)
{
	return CUDART_CALL(exec ? set_symbol_copy(exec, node, (void *)src, symbol, size, offset, kind, true)
				: cudaErrorInvalidValue);
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node, void *dst,
						       const void *symbol, size_t size, size_t offset,
						       enum cudaMemcpyKind kind)
{
	return CUDART_CALL(exec ? set_symbol_copy(exec, node, dst, symbol, size, offset, kind, false) : cudaErrorInvalidValue);
}

static cudaError_t add_fill(const struct place *p, const struct cudaMemsetParams *params)
{
	MADE(make_fill(&n, params));

	return add(p, &n, made);
}

cudaError_t cudaGraphAddMemsetNode(PLACE, const struct cudaMemsetParams *p)
{
	return CUDART_CALL(add_fill(AT, p));
}

static cudaError_t set_fill(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaMemsetParams *p)
{
	MADE(make_fill(&n, p));

	return set(exec, node, &n, made);
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const struct cudaMemsetParams *p)
{
	return CUDART_CALL(set_fill(NULL, node, p));
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaMemsetParams *p)
{
	return CUDART_CALL(exec ? set_fill(exec, node, p) : cudaErrorInvalidValue);
}

static cudaError_t get_fill(cudaGraphNode_t node, struct cudaMemsetParams *ret)
{
	const struct session_node *n = get(node, cudaGraphNodeTypeMemset, ret);

	if (n)
		*ret = n->fill;
	return n ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *ret)
{
	return CUDART_CALL(get_fill(node, ret));
}

static cudaError_t add_host(const struct place *p, const struct cudaHostNodeParams *params)
{
	MADE(make_host(&n, params));

	return add(p, &n, made);
}

cudaError_t cudaGraphAddHostNode(PLACE, const struct cudaHostNodeParams *p)
{
	return CUDART_CALL(add_host(AT, p));
}

static cudaError_t set_host(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaHostNodeParams *p)
{
	MADE(make_host(&n, p));

	return set(exec, node, &n, made);
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const struct cudaHostNodeParams *p)
{
	return CUDART_CALL(set_host(NULL, node, p));
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaHostNodeParams *p)
{
	return CUDART_CALL(exec ? set_host(exec, node, p) : cudaErrorInvalidValue);
}

static cudaError_t get_host(cudaGraphNode_t node, struct cudaHostNodeParams *ret)
{
	const struct session_node *n = get(node, cudaGraphNodeTypeHost, ret);

	if (n)
		*ret = n->host;
	return n ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams *ret)
{
	return CUDART_CALL(get_host(node, ret));
}

cudaError_t cudaGraphAddEmptyNode(PLACE)
{
	return CUDART_CALL(add(AT, &(struct session_node){ .kind = NODE_EMPTY }, cudaSuccess));
}

static cudaError_t add_child(const struct place *p, cudaGraph_t child)
{
	MADE(make_child(&n, child, false));

	return add(p, &n, made);
}

cudaError_t cudaGraphAddChildGraphNode(PLACE, cudaGraph_t child)
{
	return CUDART_CALL(add_child(AT, child));
}

static cudaError_t set_child(cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraph_t child)
{
	MADE(make_child(&n, child, true));

	return set(exec, node, &n, made);
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraph_t child)
{
	return CUDART_CALL(exec ? set_child(exec, node, child) : cudaErrorInvalidValue);
}

static cudaError_t get_child(cudaGraphNode_t node, cudaGraph_t *ret)
{
	const struct session_node *n = get(node, cudaGraphNodeTypeGraph, ret);

	if (n)
		*ret = (cudaGraph_t)n->child;
	return n ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *ret)
{
	return CUDART_CALL(get_child(node, ret));
}

static cudaError_t add_event(const struct place *p, enum session_node_kind kind, cudaEvent_t event)
{
	MADE(make_event(&n, kind, event));

	return add(p, &n, made);
}

static cudaError_t set_event(cudaGraphExec_t exec, cudaGraphNode_t node, enum session_node_kind kind, cudaEvent_t event)
{
	MADE(make_event(&n, kind, event));

	return set(exec, node, &n, made);
}

static cudaError_t get_event(cudaGraphNode_t node, enum cudaGraphNodeType type, cudaEvent_t *ret)
{
	const struct session_node *n = get(node, type, ret);

	if (n)
		*ret = n->event;
	return n ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaGraphAddEventRecordNode(PLACE, cudaEvent_t event)
{
	return CUDART_CALL(add_event(AT, NODE_RECORD, event));
}

cudaError_t cudaGraphAddEventWaitNode(PLACE, cudaEvent_t event)
{
	return CUDART_CALL(add_event(AT, NODE_WAIT, event));
}

cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)
{
	return CUDART_CALL(set_event(NULL, node, NODE_RECORD, event));
}

cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)
{
	return CUDART_CALL(set_event(NULL, node, NODE_WAIT, event));
}

cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node, cudaEvent_t event)
{
	return CUDART_CALL(exec ? set_event(exec, node, NODE_RECORD, event) : cudaErrorInvalidValue);
}

cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node, cudaEvent_t event)
{
	return CUDART_CALL(exec ? set_event(exec, node, NODE_WAIT, event) : cudaErrorInvalidValue);
}

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *ret)
{
	return CUDART_CALL(get_event(node, cudaGraphNodeTypeEventRecord, ret));
}

cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *ret)
{
	return CUDART_CALL(get_event(node, cudaGraphNodeTypeWaitEvent, ret));
}

/* The address is fixed when the node is made, so the memory is taken then. */
static cudaError_t add_alloc(const struct place *p, struct cudaMemAllocNodeParams *params)
{
	struct session_node n = { .kind = NODE_ALLOC };
	struct ledger_request r;
	uint64_t address = 0;
	cudaError_t result;

	if (!params || !params->bytesize || params->poolProps.allocType != cudaMemAllocationTypePinned ||
	    params->poolProps.location.type != cudaMemLocationTypeDevice)
		return cudaErrorInvalidValue;
	r = cudart_request("cudaGraphAddMemAllocNode", params->bytesize, BUFFER_MALLOC);
	device_lock();
	result = cudart_error(ledger_alloc(&r, &address));
	device_unlock();
	cudart_forget_note();
	n.memory.address = (void *)(uintptr_t)address;
	n.memory.size = params->bytesize;
	if (result)
		return result;
	result = add(p, &n, cudaSuccess);
	if (result) {
		device_lock();
		ledger_free(ledger_find(address));
		device_unlock();
	} else {
		params->dptr = n.memory.address;
	}
	return result;
}

cudaError_t cudaGraphAddMemAllocNode(PLACE, struct cudaMemAllocNodeParams *p)
{
	return CUDART_CALL(add_alloc(AT, p));
}

static cudaError_t get_alloc(cudaGraphNode_t node, struct cudaMemAllocNodeParams *ret)
{
	const struct session_node *n = get(node, cudaGraphNodeTypeMemAlloc, ret);

	if (!n)
		return cudaErrorInvalidValue;
	*ret = (struct cudaMemAllocNodeParams){ .bytesize = n->memory.size, .dptr = n->memory.address };
	ret->poolProps.allocType = cudaMemAllocationTypePinned;
	ret->poolProps.location.type = cudaMemLocationTypeDevice;
	return cudaSuccess;
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, struct cudaMemAllocNodeParams *ret)
{
	return CUDART_CALL(get_alloc(node, ret));
}

static cudaError_t add_free(const struct place *p, void *address)
{
	struct session_node n = { .kind = NODE_FREE, .memory = { .address = address } };

	return add(p, &n, cudart_is_device(address) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphAddMemFreeNode(PLACE, void *address)
{
	return CUDART_CALL(add_free(AT, address));
}

static cudaError_t get_free(cudaGraphNode_t node, void *ret)
{
	const struct session_node *n = get(node, cudaGraphNodeTypeMemFree, ret);

	if (n)
		*(void **)ret = n->memory.address;
	return n ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *ret)
{
	return CUDART_CALL(get_free(node, ret));
}

static cudaError_t set_enabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned enabled)
{
	struct session_node *n = exec ? target(exec, node) : NULL;

	if (!n || n->kind > NODE_FILL)
		return cudaErrorInvalidValue;
	n->disabled = !enabled;
	return cudaSuccess;
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int enabled)
{
	return CUDART_CALL(set_enabled(exec, node, enabled));
}

static cudaError_t get_enabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned *ret)
{
	const struct session_node *n = exec && ret ? target(exec, node) : NULL;

	if (n)
		*ret = !n->disabled;
	return n ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int *ret)
{
	return CUDART_CALL(get_enabled(exec, node, ret));
}

static struct cudaKernelNodeParams as_kernel(const struct cudaGraphNodeParams *p)
{
	return (struct cudaKernelNodeParams){ p->kernel.func, p->kernel.gridDim, p->kernel.blockDim, p->kernel.sharedMemBytes,
					      p->kernel.kernelParams, p->kernel.extra };
}

static struct cudaMemsetParams as_fill(const struct cudaGraphNodeParams *p)
{
	return (struct cudaMemsetParams){ p->memset.dst, p->memset.pitch, p->memset.value, p->memset.elementSize,
					  p->memset.width, p->memset.height };
}

/* Parameters of any kind: those of the older calls in one union. Not all kinds can be changed. */
static cudaError_t add_any(const struct place *p, struct cudaGraphNodeParams *params)
{
	struct cudaKernelNodeParams kernel;
	struct cudaMemsetParams fill;
	struct cudaHostNodeParams host;
	struct cudaMemAllocNodeParams alloc;
	cudaError_t result;

	if (!params)
		return cudaErrorInvalidValue;
	switch (params->type) {
	case cudaGraphNodeTypeKernel:
		kernel = as_kernel(params);
		return add_launch(p, &kernel);
	case cudaGraphNodeTypeMemcpy:
		return add_copy_3d(p, &params->memcpy.copyParams);
	case cudaGraphNodeTypeMemset:
		fill = as_fill(params);
		return add_fill(p, &fill);
	case cudaGraphNodeTypeHost:
		host = (struct cudaHostNodeParams){ params->host.fn, params->host.userData };
		return add_host(p, &host);
	case cudaGraphNodeTypeGraph:
		return add_child(p, params->graph.graph);
	case cudaGraphNodeTypeEmpty:
		return add(p, &(struct session_node){ .kind = NODE_EMPTY }, cudaSuccess);
	case cudaGraphNodeTypeEventRecord:
		return add_event(p, NODE_RECORD, params->eventRecord.event);
	case cudaGraphNodeTypeWaitEvent:
		return add_event(p, NODE_WAIT, params->eventWait.event);
	case cudaGraphNodeTypeMemAlloc:
		alloc = (struct cudaMemAllocNodeParams){ .poolProps = params->alloc.poolProps,
							 .bytesize = params->alloc.bytesize };
		result = add_alloc(p, &alloc);
		params->alloc.dptr = alloc.dptr;
		return result;
	case cudaGraphNodeTypeMemFree:
		return add_free(p, params->free.dptr);
	default:
		return cudaErrorNotSupported;
	}
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t *ret, cudaGraph_t graph, const cudaGraphNode_t *deps,
			     const cudaGraphEdgeData *data, size_t n_deps, struct cudaGraphNodeParams *p)
{
	(void)data;
	return CUDART_CALL(add_any(AT, p));
}

static cudaError_t set_any(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaGraphNodeParams *params)
{
	struct cudaKernelNodeParams kernel;
	struct cudaMemsetParams fill;
	struct cudaHostNodeParams host;

	if (!params)
		return cudaErrorInvalidValue;
	switch (params->type) {
	case cudaGraphNodeTypeKernel:
		kernel = as_kernel(params);
		return set_launch(exec, node, &kernel);
	case cudaGraphNodeTypeMemcpy:
		return set_copy_3d(exec, node, &params->memcpy.copyParams);
	case cudaGraphNodeTypeMemset:
		fill = as_fill(params);
		return set_fill(exec, node, &fill);
	case cudaGraphNodeTypeHost:
		host = (struct cudaHostNodeParams){ params->host.fn, params->host.userData };
		return set_host(exec, node, &host);
	case cudaGraphNodeTypeGraph:
		return exec ? set_child(exec, node, params->graph.graph) : cudaErrorNotSupported;
	case cudaGraphNodeTypeEventRecord:
		return set_event(exec, node, NODE_RECORD, params->eventRecord.event);
	case cudaGraphNodeTypeWaitEvent:
		return set_event(exec, node, NODE_WAIT, params->eventWait.event);
	default:
		return cudaErrorNotSupported;
	}
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *p)
{
	return CUDART_CALL(set_any(NULL, node, p));
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, struct cudaGraphNodeParams *p)
{
	return CUDART_CALL(exec ? set_any(exec, node, p) : cudaErrorInvalidValue);
}
